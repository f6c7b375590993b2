import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { RecordingState } from '../../../contract/rpc/index.ts'
import { began, channel, mounted, service, tallies, tally } from '../../testing/mounted.ts'
import { failed } from '../../testing/memory-client.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { recordingsWords } from '../recordings/words.ts'
import BroadcastLog from './broadcast-log.vue'
import HealthWord from './health-word.vue'
import RecordingCard from './recording-card.vue'
import { healthCauses, type StreamHealth } from './stream-health.ts'
import TallyLamp from '../../ui/tally-lamp.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')
const recordingsEn = spoken(recordingsWords, 'en')

const { recording: words } = recordingsEn
const button = (name: string) => page.getByRole('button', { name })
const languages = ['en', 'zh'] as const

describe('the lamp', () => {
  it.each(
    languages.flatMap((language) =>
      (['idle', 'armed', 'live', 'recording', 'disabled', 'fault'] as const).map((state) => [state, language] as const),
    ),
  )('has a word for %s in %s', async (state, language) => {
    await mounted(TallyLamp, { language, props: { state, 'data-testid': 'lamp' } })
    await expect.element(page.getByTestId('lamp')).toMatchTextContent({ en, zh }[language].tally[state])
  })
})

describe('the word of the stream', () => {
  const causes: readonly (readonly [StreamHealth['word'], StreamHealth['cause']])[] = [
    ['good', null],
    ...(['idle', 'measuring', 'settling', 'notGiven'] as const).map((cause) => ['unknown', cause] as const),
    ...healthCauses.map((cause) => ['poor', cause] as const),
    ['fair', 'bitrate'],
    ['lost', 'lost'],
  ]
  it.each(languages.flatMap((language) => causes.map(([word, cause]) => [word, cause, language] as const)))(
    'is said with its cause: %s, %s, in %s',
    async (word, cause, language) => {
      const health: StreamHealth = { word, cause, value: 5, next: null, settles: null }
      await mounted(HealthWord, {
        language,
        props: { health, profileId: 'local', cid: channel(1).cid, silent: false, lostAt: began },
      })
      await expect.element(page.getByRole('status').first()).not.toHaveTextContent('')
    },
  )
})

describe('the log of the broadcast', () => {
  const kinds = [
    'firstKeyFrame',
    'codecs',
    'ended',
    'refused',
    'replaced',
    'silent',
    'stalled',
    'retimed',
    'leftOut',
    'serviceLost',
    'serviceRestart',
    'serviceBack',
    'recordingStarted',
    'recordingStopped',
    'recordingEnded',
    'fileReady',
    'merged',
    'clipped',
    'marked',
    'started',
  ] as const
  it.each(languages)('has words for everything that happens, in %s', async (language) => {
    const lines = kinds.map((kind, index) => ({ at: began - index * 1_000, kind, detail: null, remedy: null }))
    await mounted(BroadcastLog, { language, props: { lines, live: true } })
    await expect.element(page.getByRole('listitem').last()).toBeVisible()
    expect(page.getByRole('listitem').elements()).toHaveLength(kinds.length)
  })
})

describe('the recording card', () => {
  const one = channel(1)
  const state = (change: Partial<RecordingState>): RecordingState => ({
    state: 'off',
    reason: null,
    since: null,
    bytes: 0,
    cut: null,
    ...change,
  })
  const told = (recording: RecordingState): AppEvent => ({
    type: 'recording',
    profileId: 'local',
    cid: one.cid,
    at: began,
    recording,
  })
  const show = (
    change: Partial<RecordingState> = {},
    shown = one,
    {
      live = false,
      disabled = false,
      ...options
    }: Parameters<typeof mounted>[1] & { live?: boolean; disabled?: boolean } = {},
  ) =>
    mounted(RecordingCard, {
      props: { channel: shown, live, disabled },
      channels: [shown],
      events: [told(state(change))],
      ...options,
      answers: { 'recordings.state': () => state(change), 'recordings.configure': () => undefined, ...options.answers },
    })
  const every = () => page.getByRole('switch', { name: words.every })

  it('turns recording on for its channel, as the settings wish', async () => {
    const { client } = await show()
    await every().click()
    await expect
      .poll(() => client.inputs('recordings.configure'))
      .toMatchObject([{ profileId: 'local', cid: one.cid, needRecord: true, format: 'mp4' }])
  })

  it('turns it off again', async () => {
    const { client } = await show({ state: 'asked' }, channel(1, { needRecord: true }))
    await every().click()
    await expect.poll(() => client.inputs('recordings.configure')).toMatchObject([{ cid: one.cid, needRecord: false }])
  })

  it('says why it could not be set', async () => {
    await show({}, one, {
      answers: {
        'recordings.configure': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await every().click()
    await expect.element(page.getByRole('alert')).toBeVisible()
  })

  it('cannot be set while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(every()).toBeDisabled()
  })

  it('cannot be set of a disabled channel', async () => {
    await show({}, channel(1, { status: 2 }), { disabled: true })
    await expect.element(every()).toBeDisabled()
    await expect.element(page.getByText(words.disabled)).toBeVisible()
  })

  it.each(
    languages.flatMap((language) =>
      (['space', 'readonly', 'folder', 'slow', 'error'] as const).map((reason) => [reason, language] as const),
    ),
  )('says why a recording stopped: %s, in %s', async (reason, language) => {
    await show({ state: 'stopped', reason }, channel(1, { needRecord: true }), { live: true, language })
    await expect.element(page.getByRole('alert')).not.toHaveTextContent('')
    if (language === 'en') await expect.element(page.getByRole('alert')).toMatchTextContent(words.reason[reason])
  })

  it('counts what is recorded of its channel, not of another', async () => {
    const recorded = channel(1, { status: 3, needRecord: true })
    const other = channel(2, { status: 3, needRecord: true })
    const { tell } = await show({}, recorded, { live: true, channels: [recorded, other] })
    const at = (cid: string, length: number): AppEvent => ({
      type: 'recording',
      profileId: 'local',
      cid,
      at: began,
      recording: state({ state: 'recording', since: began - length, recorded: length, bytes: length }),
    })
    await tell(tallies([tally(recorded), tally(other)]), at(recorded.cid, 61_000), at(other.cid, 125_000))
    await expect.element(page.getByText('00:01:01')).toBeVisible()
    expect(page.getByText('00:02:05').query()).toBeNull()
  })

  it('saves format and length of its channel', async () => {
    const { client } = await show()
    await button(words.settings).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText(words.minutes).fill('30')
    await dialog.getByRole('button', { name: words.save }).click()
    await expect
      .poll(() => client.inputs('recordings.configure'))
      .toMatchObject([{ cid: one.cid, needRecord: false, duration: 30 }])
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it('does not save a length that the service would refuse', async () => {
    const { client } = await show()
    await button(words.settings).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText(words.minutes).fill('0')
    await dialog.getByRole('button', { name: words.save }).click()
    await expect.element(dialog).toBeVisible()
    expect(client.inputs('recordings.configure')).toEqual([])
  })

  it.each([
    ['off the air, not recorded', {}, false, words.off],
    ['off the air, to be recorded', { needRecord: true }, false, words.asked],
    ['on air, not recorded', { status: 1 }, true, words.offLive],
    ['on air, to be recorded', { status: 1, needRecord: true }, true, words.askedLive],
  ] as const)('says what becomes of a push: %s', async (_case, change, live, says) => {
    await show({}, channel(1, change), { live })
    await expect.element(page.getByText(says)).toBeVisible()
    await expect.element(every()).toHaveAttribute('aria-checked', String('needRecord' in change))
  })

  it('says that recording goes on to the next key frame when it is switched off', async () => {
    const recorded = channel(1, { status: 3 })
    await show({ state: 'recording', since: began - 1_000, bytes: 1 }, recorded, { live: true })
    await expect.element(page.getByRole('status').filter({ hasText: words.ending })).toBeVisible()
  })

  it('has format, size, next cut and room of a recording, each of this computer only', async () => {
    const recorded = channel(1, { status: 3, needRecord: true, format: 'flv', duration: 60 })
    const { pass } = await show(
      { state: 'recording', since: began - 1_000, bytes: 63e6, cut: began + 90_000 },
      recorded,
      { live: true },
    )
    const figure = (name: string) => document.querySelector(`[data-figure=${name}]`)?.textContent?.trim()
    expect(['recordingSetting', 'recordingBytes', 'recordingCut', 'diskRoom'].map(figure)).toEqual([
      'FLV, 60 min slices',
      '63.0 MB',
      '00:01:30',
      '411 GB',
    ])
    await pass(95_000)
    await expect.poll(() => figure('recordingCut')).toBe(words.cutNow)
  })

  it('does not state size and disk of a hosted service, and says so', async () => {
    await show({}, channel(1, { status: 3, needRecord: true }), { live: true, profile: 'hosted-1' })
    await expect.element(page.getByText(words.hosted)).toBeVisible()
    expect(document.querySelector('[data-figure=recordingBytes]')).toBeNull()
    expect(document.querySelector('[data-figure=diskRoom]')).toBeNull()
  })

  it('says that the lamp is not known while nobody vouches for it', async () => {
    const { tell } = await show(
      { state: 'recording', since: began - 1_000, bytes: 1 },
      channel(1, { status: 3, needRecord: true }),
      { live: true },
    )
    await expect.element(page.getByText(en.tally.recording)).toBeVisible()
    await tell(service('restarting'))
    await expect.element(page.getByText(en.tally.fault)).toBeVisible()
    expect(page.getByText(en.tally.recording).query()).toBeNull()
  })

  it('says that the setting is not known while the line to the app is lost', async () => {
    const { lose } = await show()
    await lose()
    await expect.element(page.getByText(words.unknown)).toBeVisible()
    await expect.element(every()).toBeDisabled()
    expect(button(words.settings).query()).toBeNull()
  })

  it('names the newest file of its channel, and leads to the recordings', async () => {
    const { tell, router } = await show()
    await tell({
      type: 'recorded',
      profileId: 'local',
      cid: channel(2).cid,
      at: began,
      vid: 1,
      name: 'other.mp4',
      bytes: 1,
      merged: false,
    })
    expect(page.getByText(words.ready, { exact: true }).query()).toBeNull()
    await tell({
      type: 'recorded',
      profileId: 'local',
      cid: one.cid,
      at: began,
      vid: 2,
      name: 'own.mp4',
      bytes: 63e6,
      merged: false,
    })
    await expect.element(page.getByText('16:00:00 · 63.0 MB')).toBeVisible()
    await expect.element(page.getByTitle('own.mp4')).toBeVisible()
    await page.getByRole('link', { name: words.open }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings')
  })

  it('is set once at a time, and shows the switch as it was until then', async () => {
    const set = Promise.withResolvers<void>()
    const { client } = await show({}, one, { answers: { 'recordings.configure': () => set.promise } })
    await every().click()
    await expect.element(every()).toBeDisabled()
    await expect.element(page.getByRole('img', { name: en.word.progress })).toBeVisible()
    set.resolve()
    await expect.element(every()).toBeEnabled()
    expect(client.inputs('recordings.configure').length).toBe(1)
  })

  it('says in the form why its settings were not saved, and opens it anew without that', async () => {
    await show({}, one, {
      answers: {
        'recordings.configure': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await button(words.settings).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText(words.minutes).fill('30')
    await dialog.getByRole('button', { name: words.save }).click()
    await expect.element(dialog.getByRole('alert')).toBeVisible()
    await dialog.getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await button(words.settings).click()
    await expect.element(dialog).toBeVisible()
    expect(dialog.getByRole('alert').query()).toBeNull()
  })

  it('begins its form with what is set, and saves the format and the name of the files', async () => {
    const set = channel(1, { needRecord: true, format: 'flv', duration: 60, filename: 'Evening' })
    const { client } = await show({}, set)
    await button(words.settings).click()
    const dialog = page.getByRole('dialog')
    await expect.element(dialog.getByRole('radio', { name: 'FLV' })).toBeChecked()
    await expect.element(dialog.getByLabelText(words.minutes)).toHaveValue('60')
    await dialog.getByRole('radio', { name: 'MP4' }).click()
    await dialog.getByLabelText(words.filename).fill('Morning')
    await dialog.getByRole('button', { name: words.save }).click()
    await expect
      .poll(() => client.inputs('recordings.configure'))
      .toMatchObject([{ cid: one.cid, needRecord: true, format: 'mp4', duration: 60, filename: 'Morning' }])
  })

  it('says which character a file name may not have, and does not save it', async () => {
    const { client } = await show()
    await button(words.settings).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText(words.filename).fill('two/words')
    await expect.element(dialog).toMatchTextContent(words.filenameFault.replace('{what}', '“/”'))
    await dialog.getByRole('button', { name: words.save }).click()
    expect(client.inputs('recordings.configure')).toEqual([])
  })
})
