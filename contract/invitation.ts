/** Contents of an invitation link: how to reach and verify the streamer's Sidestage. Never contains a token. */
export interface InvitationLink {
  /** Host with port, lower case: `192.0.2.5:8720`, `[2001:db8::1]:8720`. */
  readonly host: string
  /** TLS; without it the listener is on this computer. */
  readonly secured: boolean
  /** SHA-256 of the certificate in 64 lowercase hex digits; null if not in the link. */
  readonly fingerprint: string | null
  /** Single use. */
  readonly code: string | null
  readonly accid: string | null
}

/** URL scheme that opens the app. */
export const linkScheme = 'sidestage'
const begin = `${linkScheme}://join`
/** Longest text that is parsed, in characters. */
const maxLength = 2_048

const hostForm = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?):([1-9]\d{0,4})$/
const codeForm = /^[A-Za-z0-9_-]{8,64}$/
const accidForm = /^[a-z0-9_@.-]{1,32}$/

/** Normalises a host with port; undefined if invalid. */
export function readHost(text: string): string | undefined {
  const host = text.trim().toLowerCase()
  const port = Number(hostForm.exec(host)?.[3])
  return port >= 1 && port <= 65_535 ? host : undefined
}

/** Normalises a SHA-256 fingerprint, with or without colons and spaces; undefined if invalid. */
export function readFingerprint(text: string): string | undefined {
  const digits = text.replace(/[\s:]/g, '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined
}

/** A fingerprint for people: upper case with colons. */
export const shownFingerprint = (fingerprint: string): string => fingerprint.toUpperCase().replace(/(..)(?=.)/g, '$1:')

const escaped = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%40', '@')

/** Writes the link for the app. */
export function writeInvitation({ host, fingerprint, code, accid }: Omit<InvitationLink, 'secured'>): string {
  const parts = Object.entries({ host, accid, code, fp: fingerprint }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${escaped(value)}`],
  )
  return `${begin}?${parts.join('&')}`
}

function ofApp(text: string): InvitationLink | undefined {
  const query = /^sidestage:\/\/join\/?\?([\w.~%&=+:@-]+)$/.exec(text)?.[1]
  if (query === undefined) return undefined
  const given = new URLSearchParams(query)
  const [host, fp, code, accid] = [given.get('host'), given.get('fp'), given.get('code'), given.get('accid')]
  const fingerprint = fp === null ? null : readFingerprint(fp)
  const at = host === null ? undefined : readHost(host)
  if (
    at === undefined ||
    fingerprint === undefined ||
    (code !== null && !codeForm.test(code)) ||
    (accid !== null && !accidForm.test(accid))
  )
    return undefined
  // Without a fingerprint the listener has no TLS.
  return { host: at, secured: fingerprint !== null, fingerprint, code, accid }
}

function ofBrowser(text: string): InvitationLink | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (!url || url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '') return undefined
  const secured = url.protocol === 'https:'
  const host = readHost(`${url.hostname}:${url.port === '' ? (secured ? '443' : '80') : url.port}`)
  const code = url.hash === '' ? null : (/^#code=(.+)$/.exec(url.hash)?.[1] ?? '')
  if (host === undefined || (code !== null && !codeForm.test(code))) return undefined
  return { host, secured, fingerprint: null, code, accid: null }
}

/** Parses an untrusted link: for the app, or for a browser (without fingerprint). Undefined for anything else. */
export function readInvitation(text: unknown): InvitationLink | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined
  return ofApp(text) ?? ofBrowser(text)
}
