import type { LinkPush } from '../../../contract/link/frames.ts'

/** The other side of a conversation: an account, or a team by its number. */
export interface Peer {
  readonly scene: 'p2p' | 'team'
  readonly with: string
}

/** A line of a conversation. */
export interface Line {
  /** Message id, ascending in time. */
  readonly id: number
  readonly at: number
  readonly from: string
  readonly type: number
  /** Content by type; empty when recalled. */
  readonly body: Readonly<Record<string, unknown>>
  readonly recalled: boolean
  /** Client kind or REST; null if unknown. */
  readonly via: string | null
  /** Held by the word list, so that nobody received it. */
  readonly held: boolean
}

/** The file of a message. */
export interface AttachedFile {
  readonly kind: 'image' | 'voice' | 'video' | 'file'
  readonly name: string
  /** Null unless http or https. */
  readonly url: string | null
  readonly size: number | null
}

/** Lines kept of a conversation; older ones are read again. */
export const maxLines = 5_000
/** Default time for recalling a message of the embedded service, in ms (behaviour.md#recall). */
export const recallWindow = 120_000
/** Largest attached file in bytes, limited by Base64 in one call. */
export const maxAttach = 149_000

/** Key of a conversation. */
export const keyOf = ({ scene, with: other }: Peer): string => `${scene} ${other}`
/** Null for an invalid key. */
export function peerOfKey(key: string): Peer | null {
  const match = /^(p2p|team) (\S{1,128})$/.exec(key)
  return match ? { scene: match[1] as Peer['scene'], with: match[2] ?? '' } : null
}

const bodyOf = (text: string): Record<string, unknown> => {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The conversation of a message. */
export const peerOf = (
  accid: string,
  { scene, from, to }: { readonly scene: string; readonly from: string; readonly to: string },
): Peer => (scene === 'team' ? { scene: 'team', with: to } : { scene: 'p2p', with: from === accid ? to : from })

/** A message of the link as a line. */
export const lineOf = (push: LinkPush<'message'>): Line => ({
  id: push.seq ?? push.at,
  at: push.at,
  from: push.from,
  type: push.type,
  body: push.recalled === true ? {} : bodyOf(push.body),
  recalled: push.recalled === true,
  via: push.fromClientType,
  held: false,
})

/** An entry of the API's history as a line. */
export const lineOfEntry = (entry: {
  msgid: number
  sendtime: number
  type: number
  from?: string
  body: object
}): Line => ({
  id: entry.msgid,
  at: entry.sendtime,
  from: entry.from ?? '',
  type: entry.type,
  body: entry.body as Record<string, unknown>,
  recalled: false,
  via: null,
  held: false,
})

/** Merges lines by id; a recalled line stays recalled. */
export function withLines(lines: readonly Line[], more: readonly Line[]): Line[] {
  const all = new Map(lines.map((line) => [line.id, line]))
  for (const line of more) {
    const before = all.get(line.id)
    if (before?.recalled !== true) all.set(line.id, { ...line, via: line.via ?? before?.via ?? null })
  }
  return [...all.values()].sort((a, b) => a.id - b.id).slice(-maxLines)
}

/** Marks a line as recalled. */
export const withRecalled = (lines: readonly Line[], id: number): Line[] =>
  lines.map((line) => (line.id === id ? { ...line, recalled: true, body: {} } : line))

const kinds: Readonly<Record<number, AttachedFile['kind']>> = { 1: 'image', 2: 'voice', 3: 'video', 6: 'file' }

/** Null without a file. */
export function fileOf({ type, body, recalled }: Line): AttachedFile | null {
  const kind = kinds[type]
  if (kind === undefined || recalled) return null
  const { name, url, size } = body
  const isOpenable = typeof url === 'string' && /^https?:\/\//i.test(url)
  return {
    kind,
    name: typeof name === 'string' ? name : '',
    url: isOpenable ? url : null,
    size: Number.isFinite(Number(size)) && size !== undefined ? Number(size) : null,
  }
}

/** Text written by a person; '' for none. */
export function textOf({ type, body }: Line): string {
  const { msg, title } = body
  if (type === 0 || type === 10) return typeof msg === 'string' ? msg : ''
  if (type === 4) return typeof title === 'string' ? title : ''
  return type === 100 ? JSON.stringify(body) : ''
}
