"""The settings of a real terminal: the near side of a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import termios

from twisted.trial.unittest import SynchronousTestCase

from tictac.terminal.terminal import TerminalSettings


class TerminalSettingsTests(SynchronousTestCase):
    """Everything is put back."""

    def setUp(self) -> None:
        master, self.keyboard = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, self.keyboard)
        self.settings = TerminalSettings(self.keyboard, (self.keyboard,))

    def echoes(self) -> bool:
        local_flags = termios.tcgetattr(self.keyboard)[3]
        return bool(local_flags & termios.ECHO)

    def test_hide_and_show(self) -> None:
        self.assertTrue(self.echoes())
        self.assertTrue(self.settings.hide_input())
        self.assertFalse(self.echoes())
        self.settings.show_input()
        self.assertTrue(self.echoes())

    def test_restore_puts_everything_back(self) -> None:
        before = termios.tcgetattr(self.keyboard)
        self.settings.hide_input()
        os.set_blocking(self.keyboard, False)
        self.settings.restore()
        self.assertEqual(termios.tcgetattr(self.keyboard), before)
        self.assertTrue(os.get_blocking(self.keyboard))

    def test_showing_what_was_not_hidden_changes_nothing(self) -> None:
        changed = termios.tcgetattr(self.keyboard)
        changed[3] &= ~termios.ECHO
        termios.tcsetattr(self.keyboard, termios.TCSANOW, changed)
        self.settings.restore()
        self.assertFalse(self.echoes())

    def test_a_terminal_that_shows_nothing_by_itself_is_left_alone(self) -> None:
        changed = termios.tcgetattr(self.keyboard)
        changed[3] &= ~termios.ECHO
        termios.tcsetattr(self.keyboard, termios.TCSANOW, changed)
        self.assertFalse(TerminalSettings(self.keyboard, ()).hide_input())

    def test_no_terminal(self) -> None:
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        settings = TerminalSettings(reading, (reading, writing))
        self.assertFalse(settings.hide_input())
        os.set_blocking(reading, False)
        settings.restore()
        self.assertTrue(os.get_blocking(reading))

    def test_a_terminal_that_has_gone(self) -> None:
        master, keyboard = pty.openpty()
        self.addCleanup(os.close, keyboard)
        settings = TerminalSettings(keyboard, ())
        self.assertTrue(settings.hide_input())
        os.close(master)
        settings.restore()
        with self.assertRaises(termios.error):
            termios.tcgetattr(keyboard)
