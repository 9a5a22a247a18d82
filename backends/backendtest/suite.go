package backendtest

import (
	"testing"

	"boo/orchestrator"
)

// Subject is a backend that the suite is run on, with one agent of it. The
// agent plays the script language of package scriptedmodel.
type Subject struct {
	Agents orchestrator.Agents
	Agent  orchestrator.AgentName
}

// Suite runs what every backend has to pass. open returns a subject with a
// store of its own: sessions that one subject made are its own only. It is
// called once for each subtest, which may run beside others.
func Suite(t *testing.T, open func(t *testing.T) Subject) {
	for name, check := range map[string]func(*testing.T, Subject){
		"CheckKnowsItsAgents":              checkKnowsItsAgents,
		"NewSessionAnswers":                newSessionAnswers,
		"NothingIsSentAgainstOurWill":      nothingIsSentAgainstOurWill,
		"FilesAreWrittenInTheDirectory":    filesAreWritten,
		"WarmSessionRemembers":             warmSessionRemembers,
		"NewProcessRemembers":              newProcessRemembers,
		"UnknownSessionBecomesANewOne":     unknownSessionBecomesNew,
		"EveryEventComesBeforeTheEnd":      everyEventComesFirst,
		"StopEndsTheTurnNotTheSession":     stopEndsTheTurn,
		"StopEndsARunningTool":             stopEndsATool,
		"StopOfAnIdleSessionIsHarmless":    stopOfIdleSession,
		"KilledAgentIsAnErrorAndComesBack": killedAgentComesBack,
		"CloseEndsARunningTurn":            closeEndsATurn,
		"TwoSessionsRunBesideEachOther":    twoSessions,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}
