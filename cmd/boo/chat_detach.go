package main

import (
	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// sentView is the line that "boo chat send --detach --json" prints.
type sentView struct {
	Chat    orchestrator.ChatID    `json:"chat"`
	Turn    orchestrator.TurnID    `json:"turn"`
	Agent   orchestrator.AgentName `json:"agent"`
	NewChat bool                   `json:"new_chat,omitempty"`
	Ahead   []orchestrator.TurnID  `json:"ahead"` // turns of the chat that come first
	// Repeated says that nothing was sent: the turn was there, by its key.
	Repeated bool `json:"repeated,omitempty"`
}

// showSent says where a prompt went whose turn is not watched.
func showSent(e *env, sent orchestrator.Sent) error {
	if e.JSON {
		v := sentView{Chat: sent.Chat, Turn: sent.Turn, Agent: sent.Agent, NewChat: sent.NewChat, Ahead: []orchestrator.TurnID{}, Repeated: sent.Repeated}
		for _, t := range sent.Ahead {
			v.Ahead = append(v.Ahead, t.ID)
		}
		return e.Stdout.JSON(v)
	}
	e.Stdout.Println(tty.Cyan(string(sent.Chat)), tty.Plain(" "+string(sent.Turn)))
	e.Stderr.Println(tty.Dim("sent to " + string(sent.Agent) + "; see it: boo chat log -f " + string(sent.Chat) + "   wait for it: boo chat wait --turn " + string(sent.Turn)))
	return nil
}
