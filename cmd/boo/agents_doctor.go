package main

import (
	"context"
	"fmt"
	"strings"

	"boo/backends"
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// runAgentsDoctor tries one agent, or every one that is installed.
func runAgentsDoctor(ctx context.Context, e *env, name orchestrator.AgentName, memory bool) error {
	tools, err := e.agents()
	if err != nil {
		return err
	}
	ctx, stop := e.stoppable(ctx)
	defer stop()
	asked := []orchestrator.AgentName{name}
	if name == "" {
		if asked = installedAgents(tools.Registry); len(asked) == 0 {
			return orchestrator.Errorf(orchestrator.CodeAgent, "no agent is installed").WithHint("boo agents install goose")
		}
	}
	var sick error
	for _, name := range asked {
		report, err := tools.Registry.Doctor(ctx, name, memory)
		if err != nil {
			return err
		}
		if err := showReport(e, report); err != nil {
			return err
		}
		if !report.Ready && sick == nil {
			sick = orchestrator.Errorf(report.Code, "%s cannot be used yet", name).WithHint("%s", report.Hint)
		}
	}
	return sick
}

func installedAgents(r agentRegistry) []orchestrator.AgentName {
	var names []orchestrator.AgentName
	for _, v := range listAgents(r) {
		if v.Installed || v.Pinned == "" { // the person's own is never merely not wanted
			names = append(names, v.Name)
		}
	}
	return names
}

func showReport(e *env, r backends.Report) error {
	if e.JSON {
		return e.Stdout.JSON(r)
	}
	t := tty.Table{Path: -1}
	check := func(ok bool, name, value string) {
		mark := tty.Green("✓")
		if !ok {
			mark = tty.Red("✗")
		}
		t.Row(tty.Plain(" "), mark, tty.Plain(name), tty.Plain(value))
	}
	e.Stdout.Println(tty.Bold(r.Title))
	if r.Found == nil {
		check(false, "program", r.Problem)
		t.Print(e.Stdout)
		return nil
	}
	check(true, "program", fmt.Sprintf("%s (from %s)", r.Found.Path, sourceWords[r.Found.Source]))
	if r.Found.Node != "" {
		check(true, "node", r.Found.Node)
	}
	if r.Protocol == "" {
		check(false, "starts", r.Problem)
		t.Print(e.Stdout)
		return nil
	}
	check(true, "speaks", fmt.Sprintf("%s, version %s", r.Protocol, r.Version))
	if len(r.Can)+len(r.Lacks) > 0 {
		check(comesBack(r), "can", abilityWords(r))
	}
	ready := r.Problem
	if r.Ready {
		ready = fmt.Sprintf("opened in %d ms", r.Took)
	}
	check(r.Ready, "session", ready)
	if r.Memory != nil {
		check(r.Memory.Kept, "memory", memoryWords(*r.Memory))
	}
	t.Print(e.Stdout)
	return nil
}

// comesBack reports whether the agent says that it can bring a session back.
func comesBack(r backends.Report) bool {
	return strings.Contains(strings.Join(r.Can, " "), "load") || strings.Contains(strings.Join(r.Can, " "), "resume")
}

func abilityWords(r backends.Report) string {
	words := strings.Join(r.Can, ", ")
	if words == "" {
		words = "no more than begin a session"
	}
	if len(r.Lacks) > 0 {
		words += "; not: " + strings.Join(r.Lacks, ", ")
	}
	if !comesBack(r) {
		words += " (a new process is told the history instead)"
	}
	return words
}

func memoryWords(m backends.Memory) string {
	switch {
	case m.Problem != "":
		return m.Problem
	case m.Kept:
		return fmt.Sprintf("a new process brought the session back in %d ms and knew what was said", m.Took)
	case m.Rung == orchestrator.RungResumed:
		return "a new process brought the session back, but did not know what was said"
	}
	return "a new process could not bring the session back: boo tells it the history instead"
}
