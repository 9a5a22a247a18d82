module boo

go 1.26
