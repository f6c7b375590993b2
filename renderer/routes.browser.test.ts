import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { routes } from './routes.ts'

const router = createRouter({ history: createMemoryHistory(), routes })
/** Name and parameters of an address, or where it leads on to. */
const at = (address: string): unknown[] => {
  const { matched, name, params } = router.resolve(address)
  const { redirect } = matched[0] ?? {}
  return redirect === undefined ? [name, params] : ['leads to', redirect]
}

it.each([
  ['/channels', 'channels', {}],
  ['/studio', 'studio', {}],
  ['/studio/abc', 'studio', { cid: 'abc' }],
  ['/recordings', 'recordings', {}],
  ['/broadcasts', 'broadcasts', {}],
  ['/broadcasts/last', 'broadcasts', { id: 'last' }],
  ['/recordings/trim/20419', 'trim', { vid: '20419' }],
  ['/recordings/trim/20419?to=20421', 'trim', { vid: '20419' }],
  ['/room', 'room', {}],
  ['/pop-out/room/7/local', 'popOut', { roomid: '7', profile: 'local' }],
  ['/pop-out/room/7', 'popOut', { roomid: '7' }],
  [`/pop-out/room/${'1'.repeat(16)}`, 'popOut', { roomid: '1'.repeat(16) }],
  ['/messaging', 'messaging', {}],
  ['/messaging/accounts/mei', 'messaging', { part: 'accounts', about: 'mei' }],
  ['/messaging/teams/5', 'messaging', { part: 'teams', about: '5' }],
  ['/messaging/words', 'messaging', { part: 'words' }],
  ['/console/channels/list', 'console', { path: ['channels', 'list'] }],
  ['/settings/moderators', 'settings', { section: 'moderators' }],
  ['/settings/about', 'settings', { section: 'about' }],
  ['/join', 'join', {}],
])('has a screen at %s: %s', (address, name, params) => {
  expect(at(address)).toEqual([name, params])
})

it.each([
  ['/', '/channels'],
  ['/settings', '/settings/recordings'],
  ['/settings/other', '/channels'],
  ['/recordings/trim/x', '/channels'],
  ['/pop-out/room/x', '/channels'],
  [`/pop-out/room/${'1'.repeat(17)}`, '/channels'],
  ['/no/such/screen', '/channels'],
])('leads on from %s to %s', (address, to) => {
  expect(at(address)).toEqual(['leads to', to])
})
