/**
 * The variables that programs need to find the terminal, the desktop, their files and the user's language. A program
 * gets no others: they may hold secrets, which an old telnet gives to any server that asks (CVE-2005-0488), or load
 * code into the program.
 */
const kept = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'HOSTNAME'],
  ...['LANG', 'LANGUAGE', 'TERM', 'COLORTERM', 'TERMINFO', 'TERMINFO_DIRS', 'COLUMNS', 'LINES', 'NO_COLOR'],
  ...['DISPLAY', 'XAUTHORITY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'DESKTOP', 'DESKTOP_SESSION'],
  ...['BROWSER', 'TERMINAL', 'PAGER', 'MANPAGER', 'MANPATH', 'MANWIDTH', 'INFOPATH', 'SSH_AUTH_SOCK'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PUBLIC'],
  ...['USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'ALLUSERSPROFILE'],
])

/** The variables of desktops and languages. */
const keptFamilies = /^(?:LC|XDG|KDE|GNOME|MATE|LXQT|QT|GTK)_/

/** Names of proxy variables. One is kept unless its URL has a login. */
const proxy = /^(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY$/

/** The environment for a program that gets a URL. */
export function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const known = Object.entries(env).filter(([name, value]) => {
    // On Windows, upper and lower case do not matter in names.
    const upper = name.toUpperCase()
    return kept.has(upper) || keptFamilies.test(upper) || (proxy.test(upper) && value?.includes('@') === false)
  })
  return Object.fromEntries(known)
}
