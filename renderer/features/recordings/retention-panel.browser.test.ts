import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
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

  it('is not set to what is no limit, or to what it is', async () => {
    const { client } = await show()
    await expect.element(button(recording.save)).toHaveAttribute('aria-disabled', 'true')
    await page.getByLabelText(words.days).fill('x')
    await expect.element(page.getByText(words.fault.replace('{max}', '36,500'))).toBeVisible()
    await page.getByLabelText(words.days).fill('')
    await page.getByLabelText(words.gigabytes).fill('1000001')
    await expect.element(page.getByText(words.fault.replace('{max}', '1,000,000'))).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('recordings.setRetention')).toEqual([])
    expect(page.getByRole('dialog').query()).toBeNull()
  })

  it('says what limits delete before they are set, and that they were', async () => {
    await show()
    await expect.element(page.getByText(words.does.nothing)).toBeVisible()
    await page.getByLabelText(words.gigabytes).fill('250')
    await expect.element(page.getByText(words.does.gigabytes.replace('{gigabytes}', '250'))).toBeVisible()
    await button(words.saveAsk).click()
    await page.getByRole('dialog').getByRole('button', { name: words.confirm }).click()
    await expect.element(page.getByText(words.saved, { exact: true })).toBeVisible()
  })

  it('that could not be set keeps the question open, and says why', async () => {
    await show({
      answers: {
        'recordings.setRetention': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await page.getByLabelText(words.days).fill('30')
    await button(words.saveAsk).click()
    await page.getByRole('dialog').getByRole('button', { name: words.confirm }).click()
    await expect.element(page.getByRole('dialog').getByRole('alert')).toMatchTextContent('The live service had a fault')
    expect(page.getByRole('alert').elements()).toHaveLength(1)
  })

  it('cannot be set while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(page.getByText(words.down)).toBeVisible()
    expect(page.getByLabelText(words.days).query()).toBeNull()
  })
})
