// Package backendtest holds what tests of agents share: the real goose,
// installed once, and [Suite], the conformance suite that every backend passes.
//
// It promises:
//
//   - [Goose] never skips: a test that cannot have the real agent fails.
//   - [Suite] speaks only through the orchestrator's ports, so it says the same
//     of every protocol and every agent.
//
// It refuses to know how an agent is started; the caller of [Suite] does. It
// fails the test that calls it, and in no other way.
//
// The two agents to run the suite with are the real goose against
// backendtest/scriptedmodel, and backendtest/scriptedagent, which also shows
// what a real agent cannot be made to show.
package backendtest
