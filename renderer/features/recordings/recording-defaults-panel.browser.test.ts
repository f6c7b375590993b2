import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Settings } from '../../../contract/rpc/state.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settingsWith, usualSettings, type MountOptions } from '../../testing/mounted.ts'
import RecordingDefaultsPanel from './recording-defaults-panel.vue'
import { spoken } from '../../format/languages.ts'
import { recordingsWords } from './words.ts'

const recordingsEn = spoken(recordingsWords, 'en')

const { recordingDefaults: words, recording, retention } = recordingsEn
const show = (options: MountOptions = {}) =>
  mounted(RecordingDefaultsPanel, {
    ...options,
    answers: { 'app.changeSettings': (change) => settingsWith(change), ...options.answers },
  })
const save = () => page.getByRole('button', { name: recording.save })
const minutes = () => page.getByRole('textbox', { name: recording.minutes })

describe('how new channels are recorded', () => {
  it('is shown as it is set, and nothing is to be saved', async () => {
    const { client } = await show({
      settings: { recording: { everyPush: true, format: 'flv', minutes: 30, named: false } },
    })
    await expect.element(page.getByRole('switch', { name: words.everyPush })).toBeChecked()
    await expect.element(page.getByRole('radio', { name: 'FLV' })).toBeChecked()
    await expect.element(minutes()).toHaveValue('30')
    await expect.element(page.getByRole('switch', { name: words.named })).not.toBeChecked()
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await save().click({ force: true })
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('is saved whole, once, with Enter too, and said to be until it is changed again', async () => {
    const gate = Promise.withResolvers<Settings>()
    const { client } = await show({
      settings: { recording: { everyPush: false, format: 'mp4', minutes: 120, named: false } },
      answers: { 'app.changeSettings': () => gate.promise },
    })
    await page.getByRole('switch', { name: words.everyPush }).click()
    await page.getByRole('radio', { name: 'FLV' }).click()
    await page.getByRole('switch', { name: words.named }).click()
    await minutes().fill('45')
    await userEvent.keyboard('{Enter}{Enter}')
    const wanted = { everyPush: true, format: 'flv', minutes: 45, named: true } as const
    gate.resolve(settingsWith(usualSettings, { recording: wanted }))
    await expect.element(page.getByText(retention.saved, { exact: true })).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([{ recording: wanted }])
    await minutes().fill('46')
    await expect.element(page.getByText(retention.saved, { exact: true })).not.toBeInTheDocument()
  })

  it.each(['4', '121', 'x', ''])('is not saved with slices of %j minutes, and says so', async (text) => {
    const { client } = await show()
    await minutes().fill(text)
    await expect
      .element(page.getByText(recording.minutesFault.replace('{min}', '5').replace('{max}', '120')))
      .toBeVisible()
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('says why it could not be saved, and keeps what was entered', async () => {
    await show({
      answers: {
        'app.changeSettings': () => {
          throw failed({ kind: 'readOnly' })
        },
      },
    })
    await minutes().fill('46')
    await save().click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.element(minutes()).toHaveValue('46')
  })
})
