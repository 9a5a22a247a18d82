// Package api lets a client on a socket use the orchestrator as if it were its
// own: [NewHandler] serves an orchestrator.Service over HTTP, and a [Client] is
// an orchestrator.Service again. Who holds a Service cannot tell which it has.
//
// One table, in routes.go, says what there is: each row has its path, the type
// of what is asked and the type of the answer, and both sides are made from it.
// A method of the Service that gets no row does not compile in the Client.
//
//	POST /v1/...                    a call: JSON in, JSON out
//	GET  /v1/turns/{turn}/events    events of one turn, to its end
//	GET  /v1/chats/{chat}/events    events of all turns of a chat, without end
//	DELETE /v1/calls/{call}         ends a call that still runs, as ctx would
//
// JSON: names are those of the orchestrator's types, in lower case with
// underscores; zero values are left out; unknown names are refused. A string
// that is not UTF-8, such as a path, is {"base64": "..."}: no byte is lost. An
// event is the line that "boo chat log --json" prints.
//
// Events come as text/event-stream. The id is the event's number, and a client
// that reconnects with Last-Event-ID (or ?after=) gets what came after it: each
// event once, in order, also from another daemon, because they are read from
// the store. Besides events there are "end" (the turn is over), "error" (as
// below) and, when the daemon shuts down, a retry hint. A comment every 15 s
// shows that the line is alive. Who reads too slowly is cut off, and resumes.
//
// A call that may have to wait for a turn answers with a stream of the same
// form: "waiting", then "result" or "error".
//
// An error is {"error": {"code", "message", "hint"}} beside the result, if there
// is one; the HTTP status follows from the code (errors.go). That a daemon
// cannot be reached, or went away before it answered, is CodeUnverified: what
// was asked may have been done.
//
// The package refuses to know sockets and who may connect to them: the client is
// given a function that dials, the handler is served by whoever listens. Nothing
// that passes is logged: prompts and environments hold secrets.
package api
