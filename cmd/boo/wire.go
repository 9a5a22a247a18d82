package main

// supervise runs the supervisor of an agent if this process was started as one,
// and then does not return.
func supervise() {}

// wire puts the concrete parts into the env.
func wire(e *env) {}
