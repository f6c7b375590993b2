import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Access } from './access.ts'
import type { Doors } from './doors.ts'
import type { EntryCookies } from './entry-cookies.ts'
import type { PageStanding } from './page-standing.ts'
import type { Ground } from './players.ts'
import { cid } from './testing/access-in-memory.ts'
import { createWatchEntry } from './watch-entry.ts'

/** Guests made beyond those of whom it is remembered on what ground they came. */
const beyondKept = 20_001
const mother: Ground = { kind: 'link', linkId: 1 }

/** Guests of rooms, of whom some are connected, and a channel that takes the given grounds. */
function made() {
  const connected = new Map<string, { readonly uid: number; readonly accid: string; readonly cid: string }>()
  const ended: string[] = []
  let open: readonly Ground['kind'][] = ['everybody', 'link']
  const entry = createWatchEntry({
    access: { mayWatch: (_, { kind }) => open.includes(kind) } as Partial<Access> as Access,
    doors: { pages: { ofHeaders: (): undefined => undefined } } as unknown as Doors,
    standing: {} as PageStanding,
    cookies: {} as EntryCookies,
    clock: manualClock(),
    random: (bytes) => Buffer.alloc(bytes),
    mediaRoot: () => '',
    here: () => ({
      all: () => connected.values(),
      has: (_, accid) => connected.has(accid),
      end(_, accid) {
        connected.delete(accid)
        ended.push(accid)
      },
    }),
  })
  return {
    entry,
    ended,
    connect: (accid: string, of = cid) => connected.set(accid, { uid: 1, accid, cid: of }),
    closeTo(...kinds: Ground['kind'][]) {
      open = open.filter((kind) => !kinds.includes(kind))
      entry.review(cid)
    },
    others() {
      for (let n = 0; n < beyondKept; n++) entry.guestMade(1, `other${n}`, cid, { kind: 'everybody' }, {})
    },
  }
}

it('a guest who is connected is ended as the channel is closed, also after more others than are remembered', () => {
  const { entry, ended, connect, closeTo, others } = made()
  entry.guestMade(1, 'early', cid, { kind: 'everybody' }, {})
  connect('early')
  others()
  closeTo('everybody')
  expect(ended.filter((accid) => accid === 'early')).toEqual(['early'])
})

it('a guest who is connected keeps its ground, also after more others than are remembered', () => {
  const { entry, ended, connect, closeTo, others } = made()
  entry.guestMade(1, 'early', cid, mother, {})
  connect('early')
  others()
  closeTo('everybody')
  expect(entry.guestMay(1, 'early', cid)).toBe(true)
  expect(ended).not.toContain('early')
  closeTo('link')
  expect(ended).toContain('early')
})

it('a guest whose room came to the channel after it is ended with the others', () => {
  const { entry, ended, connect, closeTo } = made()
  entry.guestMade(1, 'elsewhere', 'd'.repeat(32), { kind: 'everybody' }, {})
  connect('elsewhere')
  closeTo('everybody')
  expect(ended).toEqual(['elsewhere'])
})

it('guests are made also while all who are remembered are connected', () => {
  const { entry, ended, connect, closeTo } = made()
  for (let n = 0; n < beyondKept; n++) {
    entry.guestMade(1, `one${n}`, cid, mother, {})
    connect(`one${n}`)
  }
  closeTo('everybody')
  expect(ended).toEqual([])
  expect([0, beyondKept - 1].map((n) => entry.guestMay(1, `one${n}`, cid))).toEqual([true, true])
})
