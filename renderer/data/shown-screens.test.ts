import { expect, it } from 'vitest'
import { followScreens } from './shown-screens.ts'

const cid = 'a'.repeat(32)
const origin = 'app://sidestage'

/** A page that hears messages, and what it was asked to show. */
function start() {
  const shown: unknown[] = []
  let heard: ((event: unknown) => void) | undefined
  const page = {
    location: { origin } as Location,
    addEventListener: (_type: string, listener: (event: unknown) => void) => {
      heard = listener
    },
  } as unknown as Window
  followScreens(page, (...screen) => shown.push(screen))
  return { shown, say: (data: unknown, more: object = {}) => heard?.({ source: page, origin, data, ...more }) }
}
const ask = (route: unknown, profileId: unknown = null) => ({ type: 'sidestage:show', screen: { route, profileId } })

it('shows the screens that the shell may ask for', () => {
  const { shown, say } = start()
  for (const route of [
    `/studio/${cid}`,
    '/room?open=7',
    '/join',
    '/settings/recordings',
    '/settings/moderators',
    `/join?host=192.0.2.7:8720&accid=mei&code=abcDEF_1-&fp=${'a'.repeat(64)}`,
    '/join?host=%5B2001:db8::1%5D:8720',
  ])
    say(ask(route))
  say(ask(`/studio/${cid}`, 'p1'))
  expect(shown).toHaveLength(8)
  expect(shown.at(-1)).toEqual([`/studio/${cid}`, 'p1'])
})

it('shows nothing else, and hears nobody else', () => {
  const { shown, say } = start()
  for (const route of [
    '/',
    '/console/x',
    '/settings/profiles',
    `/studio/${cid}/x`,
    `//evil.example`,
    'javascript:alert(1)',
    '/room?open=0',
    '/join?code=x',
    '/join?host=a:1&token=x',
    '/join?host=a:1&code=<b>',
    '/join?host=a:1#/console',
    7,
    null,
    {},
  ])
    say(ask(route))
  for (const data of [
    null,
    7,
    'sidestage:show',
    {},
    { type: 'sidestage:show' },
    { type: 'sidestage:show', screen: null },
    { type: 'other', screen: { route: '/join' } },
  ])
    say(data)
  say(ask('/join'), { source: {} })
  say(ask('/join'), { origin: 'https://evil.example' })
  expect(shown).toEqual([])
})

it.each([
  `/studio/${'A'.repeat(32)}`,
  `/studio/${'a'.repeat(31)}`,
  '/room?open=01',
  `/room?open=${'1'.repeat(17)}`,
  '/join?host=ab',
  '/join?host=abc&accid=a&code=b&fp=c&accid=d',
  `/join?host=abc&accid=${'x'.repeat(65)}`,
  '/join?host=abc&accid=',
])('shows no screen of an address that is nearly right: %s', (route) => {
  const { shown, say } = start()
  say(ask(route))
  expect(shown).toEqual([])
  say(ask('/room?open=7'))
  expect(shown).toEqual([['/room?open=7', null]])
})

it('takes a profile that is no text for none', () => {
  const { shown, say } = start()
  say(ask('/join', 7))
  say(ask('/join', undefined))
  expect(shown).toEqual([
    ['/join', null],
    ['/join', null],
  ])
})
