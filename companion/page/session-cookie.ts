/** Other forms need no look-up. */
const sessionForm = /^[\w-]{43}$/

/** Other programs set cookies for localhost too, and a name may occur twice. */
function* sessionsIn(header: string | undefined, name: string): Generator<string> {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at <= 0 || part.slice(0, at).trim() !== name) continue
    const value = part.slice(at + 1).trim()
    if (sessionForm.test(value)) yield value
  }
}

/** Makes it for a listener; cookies ignore ports, so the name contains it. */
export function createSessionCookie(port: () => number, isSecure: boolean) {
  const name = (): string => `sidestage_${port()}`
  const header = (value: string, more = ''): Record<string, string> => ({
    'set-cookie': `${name()}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${more}`,
  })
  return {
    read: (given: string | undefined): Iterable<string> => sessionsIn(given, name()),
    write: (session: string): Record<string, string> => header(session),
    clear: (): Record<string, string> => header('', '; Max-Age=0'),
  }
}
