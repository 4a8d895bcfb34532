"""``tictac runner``: runs submitted programs in a sandbox.

- ``sandbox``: the command line of bubblewrap, and why it can't be used
- ``relay``: a program of its own inside of the sandbox: the way to the server, and limits
- ``translation``: what a program and the lobby send each other, changed for each phase
- ``link``: the connections between a program's Unix socket and a server
- ``folders``: the folder of a runner, and the folders of killed runners
- ``work``: build, check, trial, and ladder of one program
- ``service``: claims programs from the server, and reports what becomes of them
- ``commands``: the command
"""
