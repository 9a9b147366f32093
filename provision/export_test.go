package provision

import "time"

// LimitSteps replaces the time limit of every step; 0 puts the plan's own back.
func LimitSteps(c *Cluster, limit time.Duration) { c.limitInTests = limit }
