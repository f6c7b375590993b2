/** A session as it is made: others need not be looked up, which costs a digest each. */
const sessionForm = /^[\w-]{43}$/

/** The cookie that carries the session of a page. */
export interface SessionCookie {
  /** Every session in a Cookie header. */
  read(header: string | undefined): Iterable<string>
  /** The header that sets it. */
  write(session: string): Record<string, string>
  /** The header that takes it away. */
  clear(): Record<string, string>
}

/** Every session of a name in a Cookie header. Other programs of the computer set cookies for it too, and a browser may send one name twice, for two paths. */
function* sessionsIn(header: string | undefined, name: string): Generator<string> {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at <= 0 || part.slice(0, at).trim() !== name) continue
    const value = part.slice(at + 1).trim()
    if (sessionForm.test(value)) yield value
  }
}

/** Makes it for a listener: cookies do not know ports, so its name keeps two shells on one computer apart. */
export function createSessionCookie(port: () => number, isSecure: boolean): SessionCookie {
  const name = (): string => `sidestage_${port()}`
  const header = (value: string, more = ''): Record<string, string> => ({
    'set-cookie': `${name()}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${more}`,
  })
  return {
    read: (given) => sessionsIn(given, name()),
    write: (session) => header(session),
    clear: () => header('', '; Max-Age=0'),
  }
}
