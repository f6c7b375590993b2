import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { makeExtendedProfiles } from '../../testing/fake-state.ts'
import { began, channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { channelsWords } from './words.ts'
import HostedNote from './hosted-note.vue'

const en = spoken(frameWords, 'en')
const channelsEn = spoken(channelsWords, 'en')

const { channels: words } = channelsEn
const one = channel(1)
const told = (change: object): AppEvent => ({ ...tallies([tally(one)], 'hosted-1'), at: began, ...change }) as AppEvent
const failure = { kind: 'unreachable', code: null, skewSeconds: null, detail: '' } as const
const show = () => mounted(HostedNote, { profile: 'hosted-1', channels: [one] })
const note = () => document.querySelector('[data-figure=hostedNote]')?.textContent

describe('the note of a hosted service', () => {
  it('says how long ago the tallies were asked for, and what such a service does not give', async () => {
    const { tell, pass } = await show()
    await tell(told({}))
    await expect.poll(note).toBe(words.hostedNote.replace('{seconds}', '0'))
    await pass(12_000)
    await expect.poll(note).toBe(words.hostedNote.replace('{seconds}', '12'))
    await expect.element(page.getByText(words.hostedMissing)).toBeVisible()
  })

  it('says that nothing was asked for yet', async () => {
    const { tell } = await show()
    await tell(told({ at: null }))
    await expect.poll(note).toBe(words.hostedNever)
    expect(page.getByText(words.hostedMissing).query()).toBeNull()
  })

  it('says why the host does not answer, and how old the tallies are', async () => {
    const { tell, pass } = await show()
    await tell(told({ fault: 'poll', failure }))
    await pass(20_000)
    await expect.poll(note).toContain('The tallies shown are 20 s old.')
    expect(note()).toContain(en.failure.unreachable.sentence)
  })

  it('says of an own service elsewhere why it does not answer, and not that it does not give figures', async () => {
    const { tell } = await mounted(HostedNote, {
      profile: 'hosted-1',
      profiles: makeExtendedProfiles(),
      channels: [one],
    })
    await tell(told({ fault: 'poll', failure }))
    await expect.poll(note).toContain(en.failure.unreachable.sentence)
    expect(page.getByText(words.hostedMissing).query()).toBeNull()
  })

  it('says that the host never answered', async () => {
    const { tell } = await show()
    await tell(told({ at: null, fault: 'poll', failure }))
    await expect.poll(note).toContain('No tally has come from it yet.')
  })
})
