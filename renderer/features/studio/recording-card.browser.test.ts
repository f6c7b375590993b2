import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { RecordingState } from '../../../contract/rpc/index.ts'
import type { ServiceState } from '../../../contract/rpc/state.ts'
import { spoken } from '../../format/languages.ts'
import { makeExtendedProfiles, makeService } from '../../testing/fake-state.ts'
import { began, channel, figures, mounted, service, tallies, tally, type MountOptions } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import { recordingsWords } from '../recordings/words.ts'
import RecordingCard from './recording-card.vue'

const en = spoken(frameWords, 'en')
const { recording: words } = spoken(recordingsWords, 'en')
const recorded = channel(1, { status: 3, needRecord: true })
const state = (change: Partial<RecordingState> = {}): RecordingState => ({
  state: 'recording',
  reason: null,
  since: began - 10_000,
  recorded: 10_000,
  bytes: 5_000_000,
  cut: null,
  ...change,
})
const told = (change: Partial<RecordingState> = {}, cid = recorded.cid): AppEvent => ({
  type: 'recording',
  profileId: 'local',
  cid,
  at: began,
  recording: state(change),
})
const running = (change: Partial<ServiceState>): AppEvent => ({
  type: 'service',
  service: { ...makeService(began, 'full'), ...change },
})
const show = (
  shown = recorded,
  {
    live = true,
    disabled = false,
    ...options
  }: MountOptions & { readonly live?: boolean; readonly disabled?: boolean } = {},
) =>
  mounted(RecordingCard, {
    props: { channel: shown, live, disabled },
    channels: [shown],
    ...options,
    answers: { 'recordings.state': () => null, 'recordings.configure': () => undefined, ...options.answers },
  })
const figure = (name: string) => document.querySelector(`[data-figure=${name}]`)?.textContent?.trim()
const isAmber = (name: string) => document.querySelector(`[data-figure=${name}]`)?.classList.contains('text-armt')
const every = () => page.getByRole('switch', { name: words.every })
const settings = () => page.getByRole('button', { name: words.settings })

describe('the room for recordings', () => {
  const at = async (recordingRoom: number | null, kbps: number) =>
    show(recorded, { events: [running({ recordingRoom }), told(), figures(recorded, { kbps })] })

  it.each([
    ['many hours', 4_500_000_000_000, 1_000, '10,000 h', false],
    ['hours and minutes', 1_125_000_000, 1_000, '3 h', false],
    ['two hours', 900_000_000, 1_000, '2 h', false],
    ['less than two hours', 899_000_000, 1_000, '2 h', true],
    ['an hour', 450_000_000, 1_000, '1 h', true],
    ['less than an hour', 449_000_000, 1_000, '59 min', true],
    ['less than a minute', 7_000_000, 1_000, '0 min', true],
  ] as const)('is told in hours at the rate of what is recorded, in minutes below one: %s', async (...row) => {
    const [, room, kbps, says, amber] = row
    await at(room, kbps)
    await expect.poll(() => [figure('diskRoom'), isAmber('diskRoom')]).toEqual([says, amber])
  })

  it('is told in bytes while the rate is not known', async () => {
    await show(recorded, { events: [running({ recordingRoom: 3_000_000 }), told()] })
    expect([figure('diskRoom'), isAmber('diskRoom')]).toEqual(['3.00 MB', false])
  })

  it('is not told while it is not known', async () => {
    await at(null, 1_000)
    expect(figure('diskRoom')).toBeUndefined()
  })

  it('is not told while nothing is to be recorded', async () => {
    await show(channel(1), { live: false })
    expect([figure('diskRoom'), figure('recordingSetting')]).toEqual([undefined, undefined])
  })
})

describe('the clock of a recording', () => {
  it('stands while nothing comes from the encoder', async () => {
    const { pass, tell } = await show(recorded, { events: [told(), figures(recorded)] })
    await pass(2_000)
    await expect.poll(() => figure('recordingTime')).toBe('00:00:12')
    await tell(figures(recorded, { kbps: 0 }))
    await expect.poll(() => figure('recordingTime')).toBe('00:00:10')
  })

  it('is a dash where the service does not tell it', async () => {
    await show(recorded, { profile: 'hosted-1' })
    await expect.poll(() => figure('recordingTime')).toBe('–')
  })

  it('stands while nobody vouches for the lamps', async () => {
    const { lose, pass } = await show(recorded, { events: [told({ cut: began + 60_000 })] })
    await lose()
    await pass(2_000)
    expect([figure('recordingTime'), figure('recordingCut')]).toEqual(['00:00:10', '00:01:00'])
    await expect.element(page.getByText(en.tally.fault)).toBeVisible()
  })

  it('says no size while its service is away: the last tally knows none', async () => {
    const away = { ...tallies([tally(recorded)]), fault: 'poll' } as AppEvent
    await show(recorded, { events: [told({ state: 'off', since: null, bytes: 0 }), away] })
    await expect.poll(() => figure('recordingTime')).toBe('–')
    expect(figure('recordingBytes')).toBeUndefined()
  })

  it('has no next cut where there is none', async () => {
    await show(recorded, { events: [told({ cut: null })] })
    await expect.poll(() => figure('recordingTime')).toBe('00:00:10')
    expect(figure('recordingCut')).toBeUndefined()
  })

  it('has the cut at the next key frame at its very time', async () => {
    const { pass } = await show(recorded, { events: [told({ cut: began + 1_000 })] })
    await expect.poll(() => figure('recordingCut')).toBe('00:00:01')
    await pass(1_000)
    await expect.poll(() => figure('recordingCut')).toBe(words.cutNow)
  })
})

describe('a recording that stopped', () => {
  const stopped = told({ state: 'stopped', reason: 'space', since: null })

  it('says how much must be free on a full disk, where that is known', async () => {
    await show(recorded, { events: [running({ recordingNeeds: 2_500_000, recordingReserve: 1_000_000_000 }), stopped] })
    await expect
      .poll(() => figure('recordingNeeds'))
      .toBe(words.spaceNext.replace('{reserve}', '1.00 GB').replace('{needs}', '2.50 MB'))
  })

  it('says of a disk elsewhere nothing of the disk of this computer', async () => {
    const here = running({ recordingNeeds: 2_500_000, recordingReserve: 1_000_000_000 })
    const there = { ...told({ state: 'stopped', reason: 'space', since: null }), profileId: 'hosted-1' } as AppEvent
    await show(recorded, { profile: 'hosted-1', profiles: makeExtendedProfiles(), events: [here, there] })
    await expect.poll(() => figure('recordingNeeds')).toBe(words.stoppedNext)
  })

  it('says that it goes on by itself where that is not known', async () => {
    await show(recorded, { events: [stopped] })
    await expect.poll(() => figure('recordingNeeds')).toBe(words.stoppedNext)
  })

  it('says nothing of room where the disk is not full', async () => {
    const readonly = told({ state: 'stopped', reason: 'readonly', since: null })
    await show(recorded, { events: [running({ recordingNeeds: 1, recordingReserve: 1 }), readonly] })
    await expect.poll(() => figure('recordingNeeds')).toBe(words.stoppedNext)
  })

  it('is a fault of the disk where no reason is told', async () => {
    await show(recorded, { events: [told({ state: 'stopped', reason: null, since: null })] })
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.reason.error)
  })
})

describe('the switch of a recording', () => {
  it('cannot be pressed, and its form not opened, of a disabled channel', async () => {
    await show(channel(1, { status: 2 }), { live: false, disabled: true })
    await expect.element(every()).toBeDisabled()
    expect(settings().query()).toBeNull()
  })

  it('says why it cannot be pressed', async () => {
    const { tell } = await show(channel(1), { live: false })
    expect(every().element().closest('label')?.title).toBe('')
    await tell(service('restarting'))
    await expect.poll(() => every().element().closest('label')?.title).toBe(en.blocker.down)
    expect(settings().query()).toBeNull()
  })

  it('keeps what is known of the setting while the own service restarts', async () => {
    const { tell } = await show(channel(1, { needRecord: true }), { live: false })
    await tell(service('restarting'))
    await expect.element(page.getByText(words.asked)).toBeVisible()
    expect(page.getByText(words.unknown).query()).toBeNull()
  })

  it('switches off with what is set for the channel', async () => {
    const set = channel(1, { needRecord: true, format: 'flv', duration: 60, filename: 'Evening' })
    const { client } = await show(set, { live: false })
    await every().click()
    await expect
      .poll(() => client.inputs('recordings.configure'))
      .toEqual([
        { profileId: 'local', cid: set.cid, needRecord: false, format: 'flv', duration: 60, filename: 'Evening' },
      ])
  })

  it('switches on by the settings of the app, named after the channel', async () => {
    const untouched = channel(1, { name: 'Late_Night', format: 'flv', duration: 120, filename: '' })
    const recording = { everyPush: false, format: 'mp4', minutes: 45, named: true } as const
    const { client } = await show(untouched, { live: false, settings: { recording } })
    await every().click()
    await expect
      .poll(() => client.inputs('recordings.configure'))
      .toEqual([
        {
          profileId: 'local',
          cid: untouched.cid,
          needRecord: true,
          format: 'mp4',
          duration: 45,
          filename: 'LateNight',
        },
      ])
  })

  it('is not the word that a recording ends while it is wished', async () => {
    await show(recorded, { events: [told()] })
    await expect.poll(() => figure('recordingTime')).toBe('00:00:10')
    expect(page.getByText(words.ending).query()).toBeNull()
  })
})

it('a recording is shown by the tally of a push that is on air, and not after it', async () => {
  const { tell } = await show(recorded, { live: false, events: [told()] })
  await expect.element(page.getByText(words.asked)).toBeVisible()
  expect(figure('recordingTime')).toBeUndefined()
  await tell(tallies([tally({ ...recorded, status: 0 })]))
  await expect.element(page.getByText(en.tally.armed)).toBeVisible()
})

it('an armed channel has no lamp that nobody vouches for', async () => {
  const { tell } = await show(channel(1, { needRecord: true }), { live: false })
  await expect.element(page.getByText(en.tally.armed)).toBeVisible()
  await tell(service('restarting'))
  await expect.element(page.getByText(en.tally.fault)).toBeVisible()
  expect(page.getByText(en.tally.armed).query()).toBeNull()
})
