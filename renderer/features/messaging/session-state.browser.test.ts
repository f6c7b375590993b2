import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import type { LinkSession } from '../../../contract/rpc/index.ts'
import { frameWords } from '../frame/words.ts'
import { spoken } from '../../format/languages.ts'
import { linkSession } from '../../testing/messaging-values.ts'
import { mounted } from '../../testing/mounted.ts'
import { messagingWords } from './words.ts'
import SessionState from './session-state.vue'

const en = spoken(frameWords, 'en')
const { messaging: words } = spoken(messagingWords, 'en')
const show = (session: LinkSession | null) => mounted({ render: () => h(SessionState, { session }) })
const state = () => page.getByRole('status')
const refused = { phase: 'refused', reason: { code: 'blocked', params: {} } } as const

it.each(['off', 'connecting', 'online', 'waiting'] as const)('says how far a session is: %s', async (phase) => {
  await show(linkSession('ana', { phase, reason: refused.reason }))
  await expect.element(state()).toHaveTextContent(words.phase[phase])
})

it('says that there is no session', async () => {
  await show(null)
  await expect.element(state()).toHaveTextContent(words.phase.off)
})

it('says why a session was refused, and that alone where no reason is known', async () => {
  await show(linkSession('ana', refused))
  await expect.element(state()).toHaveTextContent(`${words.phase.refused}: ${en.reason.link.blocked}`)
})

it('says only that a session was refused where no reason is known', async () => {
  await show(linkSession('ana', { phase: 'refused', reason: null }))
  await expect.element(state()).toHaveTextContent(words.phase.refused)
})

it.each([
  ['online', 1, 0],
  ['refused', 0, 1],
  ['waiting', 0, 0],
] as const)('marks a session by a shape, not by its colour alone: %s', async (phase, checks, faults) => {
  await show(linkSession('ana', { ...refused, phase }))
  const marks = (path: string): number => document.querySelectorAll(`[role=status] svg path[d^="${path}"]`).length
  expect([marks('m1.4 5.4'), marks('M4 .4')]).toEqual([checks, faults])
})
