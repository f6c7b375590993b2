import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Access } from './access.ts'
import type { Doors } from './doors.ts'
import type { EntryCookies } from './entry-cookies.ts'
import type { PageStanding } from './page-standing.ts'
import { visitFor } from './players.ts'
import { accessInMemory, cid } from './testing/access-in-memory.ts'
import { createWatchEntry } from './watch-entry.ts'

const hour = 3_600_000

describe.each([-hour, hour])('while the clock of the computer is set by %i ms', (by) => {
  it('the guest of a visit stays for 3 minutes, and no longer', () => {
    const clock = manualClock()
    const entry = createWatchEntry({
      access: { mayWatch: () => true } as Partial<Access> as Access,
      doors: { pages: { ofHeaders: (): undefined => undefined } } as unknown as Doors,
      standing: {} as PageStanding,
      cookies: {} as EntryCookies,
      clock,
      random: (bytes) => Buffer.alloc(bytes),
      mediaRoot: () => '',
      here: () => ({ all: () => [], has: () => false, end: () => undefined }),
    })
    entry.guestMade(1, 'guest', cid, { kind: 'visit' }, {})
    clock.set(by)
    clock.advance(visitFor - 1)
    expect(entry.guestMay(1, 'guest', cid)).toBe(true)
    clock.advance(1)
    expect(entry.guestMay(1, 'guest', cid)).toBe(false)
  })

  it('the last use of a link is the time as it is told then', async () => {
    const { access, clock } = await accessInMemory()
    const linkId = await access.addLink(cid, { name: 'Mum' })
    if (linkId === 'full') throw new Error('no room for a link')
    access.used(cid, { kind: 'link', linkId }, 'phone')
    clock.advance(by)
    access.used(cid, { kind: 'link', linkId }, 'tablet')
    expect(access.link(cid, linkId)).toMatchObject({ lastUsed: clock.now(), lastUsedBy: 'tablet' })
  })
})
