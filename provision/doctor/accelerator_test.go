package doctor

import (
	"context"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

func TestAccelerator(t *testing.T) {
	t.Parallel()
	cpu := func(flags string) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) {
			write(t, *m, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: "+flags+"\nprocessor\t: 1\nflags\t\t: "+flags+"\n")
		}
	}
	device := func(err error) func(*testing.T, *Machine) {
		return func(_ *testing.T, m *Machine) { m.OpenDevice = func(string) error { return err } }
	}
	refused := &fs.PathError{Op: "open", Path: "/dev/kvm", Err: syscall.EACCES}
	play(t, "accelerator", []scene{
		{"AMD", nil, []string{"ok: kvm: the CPU shows svm, /dev/kvm opens and QEMU offers it"}},
		{"Intel", cpu("fpu vmx ept"), []string{"ok: kvm: the CPU shows vmx, /dev/kvm opens and QEMU offers it"}},
		{"the daemon offers it", answering(func(*provision.Facts) {}), []string{"ok: kvm: the CPU and the hypervisor offer it"}},
		{"the device opens and no kernel would boot", cpu("fpu vme hypervisor lahf_lm"),
			[]string{"note: tcg, software emulation, some 20 times slower: this is a virtual machine whose CPU shows neither vmx nor svm, though there is a /dev/kvm -> switch nested virtualisation on where this machine runs"}},
		{"even where the daemon offers it", func(t *testing.T, m *Machine) {
			system(m, facts())
			cpu("fpu hypervisor")(t, m)
		}, []string{"note: tcg, software emulation, some 20 times slower: this is a virtual machine whose CPU shows neither vmx nor svm, though there is a /dev/kvm -> switch nested virtualisation on where this machine runs"}},
		{"names of flags are whole words", func(t *testing.T, m *Machine) {
			cpu("fpu svm_lock avmx")(t, m)
			remove(t, *m, "/dev/kvm")
		}, []string{"note: tcg, software emulation, some 20 times slower: the CPU shows neither vmx nor svm -> switch virtualisation on in the firmware (VT-x, AMD-V, SVM)"}},
		{"module not loaded", device(fs.ErrNotExist),
			[]string{"note: tcg, software emulation, some 20 times slower: the CPU shows svm, but there is no /dev/kvm -> modprobe kvm_amd"}},
		{"no rights", func(t *testing.T, m *Machine) {
			m.User = "bob"
			m.Facts = func(context.Context, string) (provision.Facts, error) { return provision.Facts{}, fs.ErrPermission }
			asUser(m)
			device(refused)(t, m)
		}, []string{"note: tcg, software emulation, some 20 times slower: /dev/kvm refuses this user -> sudo usermod -aG kvm bob, then log in again; or run labctl with sudo"}},
		{"no rights of one's own, but the daemon's", func(t *testing.T, m *Machine) {
			system(m, facts())
			device(refused)(t, m)
		}, []string{"ok: kvm: the CPU and the hypervisor offer it"}},
		{"no such device in a container", device(&fs.PathError{Op: "open", Path: "/dev/kvm", Err: syscall.EPERM}),
			[]string{"note: tcg, software emulation, some 20 times slower: opening /dev/kvm: open /dev/kvm: operation not permitted -> in a container: give it the device /dev/kvm"}},
		{"device without a driver", device(&fs.PathError{Op: "open", Path: "/dev/kvm", Err: syscall.ENXIO}),
			[]string{"note: tcg, software emulation, some 20 times slower: opening /dev/kvm: open /dev/kvm: no such device or address -> in a container: give it the device /dev/kvm"}},
		{"QEMU without KVM", func(_ *testing.T, m *Machine) {
			m.Run = runner{"/usr/bin/qemu-system-x86_64 -accel help": "tcg\n"}.on(m.Root)
		}, []string{"note: tcg, software emulation, some 20 times slower: this QEMU was built without KVM -> apt-get install qemu-system-x86"}},
		{"no QEMU yet", func(t *testing.T, m *Machine) { remove(t, *m, "/usr/bin/qemu-system-x86_64") },
			[]string{"ok: kvm, once QEMU is installed: the CPU shows svm and /dev/kvm opens"}},
		{"the daemon does not offer it", answering(func(f *provision.Facts) { f.KVM, f.WhyNot = false, "no kvm in its domain capabilities" }),
			[]string{"note: tcg, software emulation, some 20 times slower: no kvm in its domain capabilities -> on the hypervisor's machine: load kvm_intel or kvm_amd, then restart libvirt's daemon"}},
		{"another architecture", func(_ *testing.T, m *Machine) { m.Arch = "arm64" },
			[]string{"bad: the nodes are x86-64 machines, this one is arm64 -> use an x86-64 machine, or a hypervisor on one (--hypervisor qemu+ssh://…)"}},
	})
}

// This is what /proc/cpuinfo said on a virtual machine where /dev/kvm opened, a
// virtual machine could be made, and no stock kernel booted in it.
func TestAcceleratorSeen(t *testing.T) {
	t.Parallel()
	m := fit(t)
	write(t, m, "/proc/cpuinfo", seenCPU)
	found := see(t, m, "accelerator")
	require.Len(t, found, 1)
	require.Equal(t, Note, found[0].Level)
	require.Contains(t, found[0].Text, "neither vmx nor svm, though there is a /dev/kvm")
}

const seenCPU = `processor	: 0
vendor_id	: AuthenticAMD
model name	: AMD EPYC
flags		: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good nopl xtopology nonstop_tsc cpuid extd_apicid tsc_known_freq pni pclmulqdq ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes xsave avx f16c rdrand hypervisor lahf_lm cmp_legacy cr8_legacy abm sse4a misalignsse 3dnowprefetch osvw topoext vmmcall fsgsbase tsc_adjust bmi1 avx2
vmx flags	:
bugs		: sysret_ss_attrs
`
