// Package objectid computes the names of git objects.
//
// It promises that a name is the one git gives to the same kind and content in
// a repository of the same object format. It refuses to know where objects are
// kept. It fails only on a format it does not know, and on content whose length
// is not the one announced.
package objectid
