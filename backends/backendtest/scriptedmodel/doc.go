// Package scriptedmodel plays a language model on a loopback port, so that real
// agents can be driven without a provider: in tests, and in the demo that a
// person runs. What it does is written in the prompt.
//
// It promises:
//
//   - The same request gets the same answer. Where a turn stands is read from
//     the messages of the request, never kept in the server.
//   - It listens on 127.0.0.1 only, and [Server.Close] returns when no request
//     is being answered any more, those that hang included.
//   - An answer ends as soon as its client goes away.
//
// It refuses to know any agent: it plays with the tools that a request offers,
// chosen by their names and the properties of their schemas. It knows no
// package testing, since it runs in the program itself.
//
// It fails as models do: a request it cannot read is answered with status 400
// and an error object.
//
// # Script
//
// The same script is played over OpenAI's chat completions and responses,
// Anthropic's messages and Gemini's generateContent. Where no tool for files is
// offered, write and edit are played by the shell; where a tool asks for an
// absolute path, the directory that the request tells of is put before it.
//
// A prompt is a list of steps, separated by line ends or ";;". A step is a
// verb in lower case and what belongs to it:
//
//	write FILE with CONTENT      write a file
//	edit FILE replace A by B     replace text in a file
//	run COMMAND                  run a shell command
//	plan A | B | C               show a plan, the first entry in progress
//	call TOOL JSON               call any tool by its whole name
//	say TEXT                     answer
//	report                       answer with what the newest tool returned
//	think TEXT                   reason
//	remember WORD                answer that WORD is noted
//	recall                       answer with the WORD last asked to remember,
//	                             which is looked for in the request's messages
//	stream N words [every D]     N words one by one, D (50ms) apart
//	flood N chunks               N pieces of text, as fast as they are taken
//	flood N bytes                one piece of text of N bytes
//	hang                         never answer, not even with headers
//	stall                        begin to answer, then never go on
//	cut                          begin to answer, then drop the connection
//	status N [TEXT]              answer with HTTP status N
//
// FILE is one word. FILE, CONTENT, A, B and TEXT may be quoted as in Go, and
// are then taken exactly; a CONTENT that is not quoted gets a line end. Lines
// that are no step are talk and are passed over, and so is everything between
// a line that begins with <name and one that ends with </name>: agents wrap
// context in such fences. A prompt without any step is answered with one
// friendly line.
//
// # One turn
//
//	request 1   steps up to the first tool call     ──▶ text, tool call
//	request 2   the tool's result is in the history ──▶ text, tool call
//	request n   the rest, or "Done."                ──▶ text, stop
//
// hang, stall, cut and status end the answer that they stand in, every time it
// is asked for. A request that offers no tools is a side call (a title, say)
// and is answered with a few words.
package scriptedmodel
