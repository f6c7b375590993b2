import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Channel } from '../../../contract/rpc/state.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import type { RecordingChoice } from '../recordings/recording-card.ts'
import { recordingsWords } from '../recordings/words.ts'
import RecordingForm from './recording-form.vue'

const en = spoken(frameWords, 'en')
const { recording: words } = spoken(recordingsWords, 'en')
const set = channel(1, { needRecord: true, format: 'flv', duration: 60, filename: 'Evening' })
const show = async (
  shown: Channel = set,
  {
    busy = false,
    failure = null,
    ...options
  }: MountOptions & { readonly busy?: boolean; readonly failure?: Failure | null } = {},
) => {
  const told: unknown[] = []
  await mounted(RecordingForm, {
    ...options,
    props: {
      channel: shown,
      busy,
      failure,
      onSave: (choice: RecordingChoice) => told.push(choice),
      onCancel: () => told.push('cancel'),
    },
  })
  return told
}
const minutes = () => page.getByRole('textbox', { name: words.minutes })
const filename = () => page.getByRole('textbox', { name: words.filename })
const save = () => page.getByRole('button', { name: words.save })
const minutesFault = words.minutesFault.replace('{min}', '5').replace('{max}', '120')

describe('the form of a recording', () => {
  it('begins with what is set for the channel, and saves it as it is', async () => {
    const told = await show()
    await expect.element(page.getByRole('radio', { name: 'FLV' })).toBeChecked()
    await expect.element(minutes()).toHaveValue('60')
    await expect.element(filename()).toHaveValue('Evening')
    await save().click()
    expect(told).toEqual([{ needRecord: true, format: 'flv', duration: 60, filename: 'Evening' }])
  })

  it('begins with the settings of the app for a channel that nobody has set', async () => {
    const untouched = channel(1, { name: 'Late_Night 深夜', format: 'flv', duration: 120, filename: '' })
    const recording = { everyPush: false, format: 'mp4', minutes: 30, named: true } as const
    const told = await show(untouched, { settings: { recording } })
    await save().click()
    expect(told).toEqual([{ needRecord: false, format: 'mp4', duration: 30, filename: 'LateNight深夜' }])
  })

  it('has the begin of the id of the channel in the place of a name', async () => {
    await show()
    await expect.element(filename()).toHaveAttribute('placeholder', set.cid.slice(0, 8))
  })

  it.each([
    ['4', false],
    ['5', true],
    ['120', true],
    ['121', false],
    ['', false],
    ['5.5', false],
    ['x', false],
  ])('takes %j as minutes: %s', async (text, isTaken) => {
    const told = await show()
    await minutes().fill(text)
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual(
      isTaken ? [{ needRecord: true, format: 'flv', duration: Number(text), filename: 'Evening' }] : [],
    )
    expect(page.getByText(minutesFault).elements()).toHaveLength(isTaken ? 0 : 1)
  })

  it('names a space in the name of the files by its word, and takes an empty name', async () => {
    const told = await show()
    await filename().fill('two words')
    await expect.element(page.getByText(words.filenameFault.replace('{what}', en.name.space))).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
    await filename().fill('')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([{ needRecord: true, format: 'flv', duration: 60, filename: '' }])
  })

  it('says of a name that is set already, and longer than the service takes, that it is too long', async () => {
    const told = await show(channel(1, { filename: 'a'.repeat(65), duration: 60 }))
    await expect.element(page.getByText(words.filenameLong)).toBeVisible()
    await save().click()
    expect(told).toEqual([])
    await expect.element(filename()).toHaveAttribute('maxlength', '64')
  })

  it('is not saved again while that is under way, and can be left', async () => {
    const told = await show(set, { busy: true })
    await minutes().click()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
    await page.getByRole('button', { name: en.word.cancel }).click()
    expect(told).toEqual(['cancel'])
  })

  it('says why it was not saved', async () => {
    await show(set, { failure: failureOf(failed({ kind: 'late' })) })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })
})
