import { expect, it } from 'vitest'
import type { EventFrame } from '../events/event.ts'
import { createNotificationPreferences } from './notification-preferences.ts'
import type { Session } from './session.ts'

/** Preferences where bob has ann on his mute list and switched reminders of team 5 off. */
function made(online: readonly string[] = [], donnop = true) {
  return createNotificationPreferences({
    accounts: { find: (_uid, accid) => ({ accid, blocked: false, donnop }) },
    teams: { quietIn: (_uid, tid) => (accid) => tid === 5 && accid === 'bob' },
    relations: { hasQuieted: (_uid, owner, other) => owner === 'bob' && other === 'ann' },
    sessions: { of: () => online.map((clientType) => ({ clientType }) as Session) },
  })
}
const frame = (more: object): EventFrame => ({ t: 'message', push: true, badge: true, ...more }) as EventFrame

it('a message of somebody on the mute list comes without push and badge to the one who muted, and to nobody else', () => {
  const of = (from: string) => made().of(1, from, frame({ scene: 'p2p', to: 'bob' }))
  expect(of('ann')('bob')).toEqual({ push: false, badge: false })
  expect(of('bob')('ann')).toEqual({ push: true, badge: true })
  expect(of('ann')('cem')).toEqual({ push: true, badge: true })
})

it('a message of a team comes without push, but counts, to who has switched its reminders off, and to its sender', () => {
  const of = (to: string) => made().of(1, 'ann', frame({ scene: 'team', to }))
  expect(['ann', 'bob', 'cem'].map(of('5'))).toEqual([
    { push: false, badge: true },
    { push: false, badge: true },
    { push: true, badge: true },
  ])
  expect(of('6')('bob')).toEqual({ push: true, badge: true })
})

it('what was sent without push or badge comes without them, and other events have neither', () => {
  const { of } = made()
  expect(of(1, 'ann', frame({ scene: 'p2p', to: 'cem', push: false, badge: false }))('cem')).toEqual({
    push: false,
    badge: false,
  })
  expect(of(1, 'ann', { t: 'recall' } as EventFrame)('cem')).toBeUndefined()
})

it.each([
  ['IOS', ['PC'], true, false],
  ['AOS', ['WEB'], true, false],
  ['WINPHONE', ['PC'], true, false],
  ['IOS', ['AOS'], true, true],
  ['IOS', ['PC'], false, true],
  ['PC', ['WEB'], true, true],
] as const)('on %s beside %j with donnop %s a message has push %s', (clientType, online, donnop, push) => {
  const session = { uid: 1, accid: 'cem', clientType } as Session
  expect(made([clientType, ...online], donnop).on(session, { push: true, badge: true })).toEqual({ push, badge: true })
})
