import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted, service } from '../../testing/mounted.ts'
import RetentionPanel from './retention-panel.vue'
import { spoken } from '../../format/languages.ts'
import { recordingsWords } from './words.ts'

const recordingsEn = spoken(recordingsWords, 'en')

const { retention: words, recording } = recordingsEn
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(RetentionPanel, {
    path: '/settings/recordings',
    ...options,
    answers: {
      'recordings.retention': () => ({ days: 0, gigabytes: 0 }),
      'recordings.setRetention': ({ days, gigabytes }) => ({ days, gigabytes }),
      ...options.answers,
    },
  })
const button = (name: string) => page.getByRole('button', { name })

describe('how long recordings are kept', () => {
  it('is shortened only after a question', async () => {
    const { client } = await show()
    await page.getByLabelText(words.days).fill('30')
    await button(words.saveAsk).click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent(words.warning)
    expect(client.inputs('recordings.setRetention')).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: words.confirm }).click()
    await expect
      .poll(() => client.inputs('recordings.setRetention'))
      .toEqual([{ profileId: 'local', days: 30, gigabytes: 0 }])
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  })

  it('is set without a question where nothing is deleted any more', async () => {
    const { client } = await show({ answers: { 'recordings.retention': () => ({ days: 30, gigabytes: 0 }) } })
    await page.getByLabelText(words.days).fill('')
    await button(recording.save).click()
    await expect
      .poll(() => client.inputs('recordings.setRetention'))
      .toEqual([{ profileId: 'local', days: 0, gigabytes: 0 }])
  })

  it('cannot be set while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(page.getByText(words.down)).toBeVisible()
    expect(page.getByLabelText(words.days).query()).toBeNull()
  })
})
