import { useToast } from '@nuxt/ui/composables'
import { afterEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Channel } from '../../../contract/rpc/state.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { began, channel, figures, mounted, tallies, tally, type MountOptions } from '../../testing/mounted.ts'
import { useAirNews } from './air-news.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const { air: words } = en.toast
const one = channel(1, { status: 1 })
const other = channel(2, { status: 1, name: 'Other <b>one</b> {name}' })
const idle = (ended: Channel) => tally({ ...ended, status: 0 })
let toasts: ReturnType<typeof useToast>['toasts'] | undefined
const show = async ({ isWindow = true, ...options }: MountOptions & { readonly isWindow?: boolean } = {}) => {
  const part = {
    setup: () => {
      toasts = useToast().toasts
      useAirNews(() => isWindow)
      return () => null
    },
  }
  const shown = await mounted(part, { channels: [one, other], path: `/studio/${one.cid}`, ...options })
  // What was on air before the page looked is no news.
  await shown.tell(tallies([tally(one), tally(other)]))
  return shown
}
// A removed notification leaves late, with those of the next test that have its id.
afterEach(() => expect.poll(() => toasts?.value.filter(({ open }) => open === false) ?? []).toEqual([]))
const said = (text: string) => page.getByText(text, { exact: true }).first()
const ended = ({ name }: Channel) => said(words.offAir.replace('{name}', () => name))
const recording = (state: 'recording' | 'stopped'): AppEvent => ({
  type: 'recording',
  profileId: 'local',
  cid: other.cid,
  at: began,
  recording: { state, reason: null, since: null, bytes: 0, cut: null },
})

describe('news of a channel that is lost out of sight', () => {
  it('names the channel and the time, and opens it in Studio', async () => {
    const { tell, router } = await show()
    await tell(tallies([tally(one), idle(other)]))
    await expect.element(ended(other)).toBeVisible()
    await expect.element(said(words.offAirAt.replace('{time}', '16:00:00'))).toBeVisible()
    await page.getByRole('button', { name: en.word.open }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
  })

  it('says nothing of the other channels, which may go off air while it stands', async () => {
    const { tell } = await show()
    await tell(tallies([tally(one), idle(other)]), tallies([idle(one), idle(other)]))
    await expect.element(ended(other)).toBeVisible()
    await expect.element(said('At 16:00:00.')).toBeVisible()
    expect(toasts?.value.map(({ description }) => description)).toEqual(['At 16:00:00.'])
  })

  it('opens a channel of another profile under that profile', async () => {
    const { tell, router, pinia } = await show()
    const far = channel(3, { status: 1 })
    await tell(tallies([tally(far)], 'hosted-1'), tallies([idle(far)], 'hosted-1'))
    await page.getByRole('button', { name: en.word.open }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${far.cid}`)
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
  })

  it('stays until somebody acts on it', async () => {
    const { tell, pass } = await show()
    await pass(2_000)
    await tell(tallies([tally(one), idle(other)]))
    await expect.element(ended(other)).toBeVisible()
    expect(toasts?.value.map(({ duration }) => duration)).toEqual([0])
  })

  it('goes when the channel is on air again', async () => {
    const { tell } = await show()
    await tell(tallies([tally(one), idle(other)]))
    await expect.element(ended(other)).toBeVisible()
    await tell(tallies([tally(one), tally(other)]))
    await expect.element(ended(other)).not.toBeInTheDocument()
  })

  it('goes when Studio shows the channel', async () => {
    const { tell, router, pass } = await show()
    // A notice of the test before leaves late, with all of its second.
    await pass(1_000)
    await tell(tallies([tally(one), idle(other)]))
    await expect.element(ended(other)).toBeVisible()
    await router.push(`/studio/${other.cid}`)
    await expect.element(ended(other)).not.toBeInTheDocument()
  })

  it('is not told in a window that shows no channels', async () => {
    const { tell } = await show({ isWindow: false })
    await tell(tallies([tally(one), idle(other)]))
    expect(ended(other).query()).toBeNull()
  })

  it('is not told of the channel that Studio shows', async () => {
    const { tell } = await show()
    await tell(tallies([idle(one), tally(other)]))
    expect(ended(one).query()).toBeNull()
  })

  it('is not told of the channel that Studio shows without one in its address', async () => {
    const { tell } = await show({ path: '/studio', tallies: [tally(one, { since: began - 90_000 }), tally(other)] })
    await tell(tallies([tally(one, { since: began - 90_000 }), tally(other)]))
    await tell(tallies([idle(one), tally(other)]))
    expect(ended(one).query()).toBeNull()
  })

  it('is told of any channel on another screen while one more is on air', async () => {
    const { tell } = await show({ path: '/channels' })
    await tell(tallies([idle(one), tally(other)]))
    await expect.element(ended(one)).toBeVisible()
  })

  it('says that a channel is recorded no longer, until it is again', async () => {
    const { tell } = await show()
    await tell(tallies([tally(one), tally({ ...other, status: 3 })]), recording('recording'), recording('stopped'))
    const title = said(words.notRecorded.replace('{name}', () => other.name))
    await expect.element(title).toBeVisible()
    await expect.element(said(words.notRecordedAt.replace('{time}', '16:00:00'))).toBeVisible()
    await tell(recording('recording'))
    await expect.element(title).not.toBeInTheDocument()
  })

  it('says since when a channel has no picture', async () => {
    const { tell, pass } = await show()
    await tell(figures(other, { fps: 60 }))
    for (let second = 1; second <= 6; second++) {
      await pass(1_000)
      await tell(figures(other, { fps: 0 }))
    }
    await expect.element(said(words.noPicture.replace('{name}', () => other.name))).toBeVisible()
    // Rates are means of two seconds, so the first one of 0 came a second after the picture was lost.
    await expect.element(said(words.noPictureAt.replace('{time}', '15:59:59'))).toBeVisible()
  })
})
