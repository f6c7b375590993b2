import axe from 'axe-core'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { spoken } from '../../format/languages.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { began, channel, mounted } from '../../testing/mounted.ts'
import { useTargets } from '../channels/targets.ts'
import { holdWords } from '../hold/words.ts'
import { useHolds } from '../hold/holds.ts'
import { targetsWords } from '../targets/words.ts'
import type { Check } from './go-live.ts'
import StudioStrip from './studio-strip.vue'
import { healthWords } from './words-health.ts'

const { hold } = spoken(holdWords, 'en')
const { targets } = spoken(targetsWords, 'en')
const { goLive } = spoken(healthWords, 'en')
const one = channel(1, { status: 1 })
const at = { profileId: 'local', cid: one.cid }
const fault = { name: 'codecs', state: 'fault', says: 'fault', aside: null, named: {} } as unknown as Check
const show = (checks: readonly Check[] = [], live = true) =>
  mounted(
    {
      render: () => [
        h(StudioStrip, { ...at, live, checks }),
        h('div', { style: 'height: 3000px' }),
        h('section', { 'data-part': 'targets' }, [h('button', 'Add')]),
      ],
    },
    { channels: [one] },
  )
const part = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
const told = (targetId: number, state: 'sending' | 'retrying' | 'refused'): AppEvent => {
  const { since, kbps, dropped, reconnects, tries, nextTry, reason, answer } = makeTarget(targetId)
  return {
    type: 'target',
    ...at,
    at: began,
    targetId,
    target: { state, since, kbps, dropped, reconnects, tries, nextTry, reason, answer },
  }
}

it('says in a word what is further down, faults by their name', async () => {
  const { tell, pinia } = await show([fault])
  useHolds(pinia).put(at.profileId, at.cid, makeHold({ holding: true }))
  useTargets(pinia).put(at.profileId, at.cid, [makeTarget(1), makeTarget(2, { name: 'Campus' })])
  await expect.element(part(hold.title)).toMatchTextContent(hold.holding)
  await expect.element(part(targets.title)).toMatchTextContent(targets.state.sending)
  await expect.element(part(goLive.title)).toMatchTextContent(goLive.state.fault)
  await tell(told(1, 'retrying'), told(2, 'refused'))
  await expect.element(part(targets.title)).toMatchTextContent(`Campus · ${targets.state.refused}`)
  const { violations } = await axe.run(document.querySelector('nav')!)
  expect(violations.map(({ id }) => id)).toEqual([])
})

it('says before a push that it will be held, and while it is held without a picture that targets wait', async () => {
  const { pinia } = await show([], false)
  useHolds(pinia).put(at.profileId, at.cid, makeHold({ nextHeldUntil: began + 60_000 }))
  await expect.element(part(hold.title)).toMatchTextContent(hold.nextHeld)
  useTargets(pinia).put(at.profileId, at.cid, [makeTarget(1, { state: 'waiting' })])
  await expect.element(part(targets.before)).toMatchTextContent(targets.state.waiting)
})

it('says of a hold that is over that viewers with a delay see it later', async () => {
  const { pinia } = await show()
  useHolds(pinia).put(at.profileId, at.cid, makeHold({ lastHeld: began, lastHeldFor: 1, goesOn: began + 60_000 }))
  await expect.element(part(hold.title)).toMatchTextContent(hold.over)
})

it('brings a card into sight, and the keyboard to it', async () => {
  await show()
  const card = page.getByRole('button', { name: 'Add' })
  expect(card.element().getBoundingClientRect().top).toBeGreaterThan(window.innerHeight)
  part(targets.title).element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(card).toHaveFocus()
  expect(card.element().getBoundingClientRect().top).toBeLessThan(window.innerHeight)
})
