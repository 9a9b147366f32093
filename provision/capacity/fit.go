package capacity

// Pair is one that there is, or that is wanted.
type Pair struct {
	Name string
	Need Need
	// Guests is how many of its nodes run, MemoryMiB what these take now.
	Guests, MemoryMiB int
	// DiskMiB is what lies in its folder.
	DiskMiB int
}

// Runs says whether nothing of it has to be started.
func (p Pair) Runs() bool { return p.Guests > 0 && p.Guests >= p.Need.Nodes }

// memory is what it may still take: of one that runs that is what it has not
// taken yet.
func (p Pair) memory() int {
	if p.Guests == 0 {
		return p.Need.MemoryMiB()
	}
	return max(0, p.Need.MemoryMiB()-p.MemoryMiB)
}

func (p Pair) disk() int { return max(0, p.Need.DiskMiB-p.DiskMiB) }

// Room is what the machine has left.
type Room struct {
	MemoryMiB int
	// MemoryBy is the control group whose limit leaves so little memory; empty if
	// it is the machine itself.
	MemoryBy string
	DiskMiB  int
	CPUs     int
}

// Answer is what becomes of a wish for seats.
type Answer struct {
	// Wanted seats, and how many of them run already.
	Wanted, Running int
	// Fit is how many of the wanted seats there is room for, those that run among
	// them.
	Fit int
	// MemoryMiB and DiskMiB are what has to be free: for the seats that are to be
	// started, and for what pairs that run may still take.
	MemoryMiB, DiskMiB int
	// OthersMiB is the part of MemoryMiB that pairs which are no wanted seats may
	// still take.
	OthersMiB int
	// VCPUs of all that would run at once.
	VCPUs int
	Room  Room
}

// Fits says whether there is room for all. Where nothing has to be started there
// is nothing to refuse.
func (a Answer) Fits() bool { return a.Running == a.Wanted || a.Fit == a.Wanted }

// LacksMemoryMiB and LacksDiskMiB are what is missing; 0 if there is enough.
func (a Answer) LacksMemoryMiB() int { return max(0, a.MemoryMiB-a.Room.MemoryMiB) }

// LacksDiskMiB is what is missing on the disk; 0 if there is enough.
func (a Answer) LacksDiskMiB() int { return max(0, a.DiskMiB-a.Room.DiskMiB) }

// Judge says whether the seats fit beside the other pairs. What runs has its
// share first; then seats are added in their order until one does not fit.
func Judge(room Room, seats, others []Pair) Answer {
	a := Answer{Wanted: len(seats), Room: room}
	for _, p := range others {
		a.DiskMiB += p.disk()
		if p.Guests == 0 {
			continue
		}
		a.OthersMiB += p.memory()
		a.VCPUs += p.Need.VCPUs
	}
	a.MemoryMiB = a.OthersMiB
	for _, p := range seats {
		if p.Runs() {
			a.Running++
			a.MemoryMiB += p.memory()
			a.DiskMiB += p.disk()
			a.VCPUs += p.Need.VCPUs
		}
	}
	a.Fit = a.Running
	full := false
	for _, p := range seats {
		if p.Runs() {
			continue
		}
		a.MemoryMiB += p.memory()
		a.DiskMiB += p.disk()
		a.VCPUs += p.Need.VCPUs
		full = full || a.MemoryMiB > room.MemoryMiB || a.DiskMiB > room.DiskMiB
		if !full {
			a.Fit++
		}
	}
	return a
}

// Crowded says whether emulated seats are slow beside each other: with two CPUs
// for each none waits for another, with fewer they share.
func (a Answer) Crowded() bool { return a.Wanted > 1 && a.Room.CPUs < 2*a.Wanted }

// AtOnce is how many pairs may come up at the same time, at least one: each has
// a CPU for each of its virtual ones.
func AtOnce(cpus int, n Need) int { return max(1, cpus/max(1, n.VCPUs)) }
