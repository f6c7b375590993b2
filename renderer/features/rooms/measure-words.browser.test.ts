import { describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import type { LoggedAction, RoomAction } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import { roomAction, seat } from '../../testing/room-values.ts'
import { seatsWords } from '../moderators/words.ts'
import { useGuardWords } from './guard-words.ts'
import { useActionWords, useMeasureWords } from './measure-words.ts'
import { roomListsWords } from './words-lists.ts'
import { roomWords } from './words.ts'

const { room: words } = spoken(roomWords, 'en')
const { held } = spoken(roomListsWords, 'en').roomLists
const { seatPage } = spoken(seatsWords, 'en')
const { measure: kinds } = words
const did = (what: string, how: string): string => words.did.replace('{what}', what).replace('{how}', how)
const decided = (how: string): string => words.decided.replace('{what}', kinds.decideHeld).replace('{how}', how)

/** The words that a component has for something. */
async function said(use: () => () => string, options: Parameters<typeof mounted>[1] = {}): Promise<string> {
  const Words = defineComponent({
    setup() {
      const words = use()
      return () => h('p', { 'data-words': '' }, words())
    },
  })
  await mounted(Words, options)
  return document.querySelector('[data-words]')?.textContent ?? ''
}

describe('the words of a measure', () => {
  it.each<[LoggedAction, string]>([
    [{ kind: 'openRoom', on: true }, words.opened],
    [{ kind: 'openRoom', on: false }, words.closed],
    [{ kind: 'decideHeld', target: 'lee', msgid: '1', allow: true }, decided(held.allow)],
    [{ kind: 'decideHeld', target: 'lee', msgid: '1', allow: false }, decided(held.drop)],
    [{ kind: 'temporaryMute', target: 'lee', seconds: 5400 }, `${kinds.temporaryMute} 1 h 30 min`],
    [{ kind: 'temporaryMute', target: 'lee', seconds: 0 }, did(kinds.temporaryMute, words.off)],
    [{ kind: 'slowMode', seconds: 5 }, `${kinds.slowMode} 5 s`],
    [{ kind: 'slowMode', seconds: 0 }, did(kinds.slowMode, words.off)],
    [{ kind: 'mute', target: 'lee', on: true }, did(kinds.mute, words.on)],
    [{ kind: 'blacklist', target: 'lee', on: false }, did(kinds.blacklist, words.off)],
    [{ kind: 'muteRoom', on: true }, did(kinds.muteRoom, words.on)],
    [{ kind: 'removeLine', target: 'lee', msgid: '1' }, kinds.removeLine],
    [{ kind: 'queueClear' }, kinds.queueClear],
  ])('say what is done, and whether it is set or lifted: %j', async (measure, words) => {
    expect(
      await said(() => {
        const words = useMeasureWords()
        return () => words(measure)
      }),
    ).toBe(words)
  })
})

describe('the words of an entry of the log', () => {
  const timed = (seconds: number): LoggedAction => ({ kind: 'temporaryMute', target: 'lee', seconds })
  const undo = (what: string): string => words.undoOf.replace('{what}', what)
  const log = [roomAction(timed(3600), { id: 2 })]

  it.each<[string, RoomAction, string]>([
    ['that undoes nothing', roomAction(timed(60)), `${kinds.temporaryMute} 1 min`],
    ['whose undone one the log has', roomAction(timed(0), { id: 3, undoes: 2 }), undo(`${kinds.temporaryMute} 1 h`)],
    [
      'that brings the mute before back',
      roomAction(timed(600), { id: 3, undoes: 2 }),
      `${undo(`${kinds.temporaryMute} 1 h`)} · ${kinds.temporaryMute} 10 min`,
    ],
    ['whose undone one is gone', roomAction(timed(0), { id: 3, undoes: 1 }), undo(kinds.temporaryMute)],
    [
      'that lifts what was set',
      roomAction({ kind: 'mute', target: 'lee', on: false }, { id: 3, undoes: 1 }),
      undo(did(kinds.mute, words.on)),
    ],
  ])('say what it did or what it took back: one %s', async (_case, action, text) => {
    expect(
      await said(() => {
        const words = useActionWords()
        return () => words(action, log)
      }),
    ).toBe(text)
  })
})

describe('the words why nothing may be done to somebody', () => {
  const of = (guard: 'self' | 'creator' | 'admin') => () => {
    const words = useGuardWords()
    return () => words(guard)
  }

  it.each(['self', 'creator', 'admin'] as const)('are those for the host: %s', async (guard) => {
    expect(await said(of(guard))).toBe(words.guard[guard])
  })

  it.each([
    ['self', words.guard.self],
    ['creator', words.guard.creator],
    ['admin', seatPage.guardAdmin],
  ] as const)('are others for a moderator about an admin, whom they cannot unset: %s', async (guard, text) => {
    expect(await said(of(guard), { about: { seat } })).toBe(text)
  })
})
