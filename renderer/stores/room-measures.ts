import type { Measure } from '../../contract/rpc/index.ts'

/** For how long a measure can be taken back at once, in ms. */
export const undoFor = 5_000

/** The measure that mutes somebody for a preset: a temporary mute, or one until lifted. */
export const muteFor = (target: string, seconds: number): Measure =>
  seconds === 0 ? { kind: 'mute', target, on: true } : { kind: 'temporaryMute', target, seconds }

/** What takes a measure back; null for what cannot be. Lifting one never lifts another; of a mute that ran before, `rest` is what is left of it in ms. */
export function inverseOf(measure: Measure, rest = 0): Measure | null {
  switch (measure.kind) {
    case 'temporaryMute':
      return measure.seconds === 0 ? null : { ...measure, seconds: Math.ceil(Math.max(0, rest) / 1000) }
    case 'mute':
    case 'blacklist':
    case 'admin':
    case 'ordinary':
    case 'muteRoom':
    case 'robots':
      return { ...measure, on: !measure.on }
    default:
      return null
  }
}

/** Whether a measure is about a line: its deletion, or something that is done to who said it. */
export const isAbout = (measure: Measure, { msgid, from }: { readonly msgid: string; readonly from: string }): boolean =>
  'msgid' in measure ? measure.msgid === msgid : 'target' in measure && measure.target === from

/** Why a person may not be muted, blacklisted or have lines deleted, by its name in the locale; null when they may. */
export function guardOf(target: string, acting: string, creator: string, roles: ReadonlyMap<string, number>): 'self' | 'creator' | 'admin' | null {
  if (target === acting) return 'self'
  if (target === creator || roles.get(target) === 1) return 'creator'
  // An admin must be unset first, also by the creator (decisions, Chatrooms).
  return roles.get(target) === 2 ? 'admin' : null
}
