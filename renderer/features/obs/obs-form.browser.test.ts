import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defineComponent, h } from 'vue'
import type { ObsState } from '../../../contract/rpc/index.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import ObsForm from './obs-form.vue'
import { obsWords } from './words.ts'

const { word } = spoken(frameWords, 'en')
const { obs: words } = spoken(obsWords, 'en')
const usual: ObsState = {
  phase: 'off',
  reason: null,
  host: '127.0.0.1',
  port: 4455,
  enabled: false,
  password: 'none',
  beyond: false,
  nextAttempt: null,
  version: null,
  streaming: null,
  target: null,
  statistics: null,
}
const show = async (change: Partial<ObsState> = {}, busy = false) => {
  const told: unknown[][] = []
  const note =
    (name: string) =>
    (...what: unknown[]): void => {
      told.push([name, ...what])
    }
  const form = defineComponent(
    () => () =>
      h(ObsForm, {
        state: { ...usual, ...change },
        busy,
        failure: null,
        onSave: note('save'),
        onForget: note('forget'),
        onOff: note('off'),
        onCancel: note('cancel'),
      }),
  )
  await mounted(form)
  return told
}
const field = (name: string) => page.getByRole('textbox', { name })
const password = () => page.getByLabelText(words.password)
const button = (name: string) => page.getByRole('button', { name })

describe('the form of the connection to OBS', () => {
  it('says that a password is kept, and offers to forget it, for the host that it was kept for only', async () => {
    const told = await show({ password: 'keychain' })
    await expect.element(page.getByText(words.passwordKept)).toBeVisible()
    await button(words.forget).click()
    expect(told).toEqual([['forget', { host: '127.0.0.1', port: '4455', password: '' }]])
    await field(words.host).fill('192.168.1.20')
    await expect.element(page.getByText(words.passwordKept)).not.toBeInTheDocument()
    expect(button(words.forget).query()).toBeNull()
    await field(words.host).fill('127.0.0.1')
    await expect.element(button(words.forget)).toBeVisible()
  })

  it('is sent trimmed, with Enter as well', async () => {
    const told = await show()
    await field(words.host).fill(' 192.168.1.20 ')
    await field(words.port).fill(' 4460')
    await password().fill('secret')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['save', { host: '192.168.1.20', port: '4460', password: 'secret' }]])
  })

  it('is not sent with a host or a port that cannot be one, and says which', async () => {
    const told = await show({ password: 'keychain' })
    await field(words.port).fill('70000')
    await expect.element(page.getByText(words.portFault)).toBeVisible()
    await expect.element(button(words.forget)).toBeDisabled()
    await userEvent.keyboard('{Enter}')
    await field(words.port).fill('4455')
    await field(words.host).fill('a b')
    await expect.element(page.getByText(words.hostFault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('is not sent again while OBS is asked', async () => {
    const told = await show({ enabled: true, password: 'keychain' }, true)
    await field(words.host).click()
    await userEvent.keyboard('{Enter}')
    await expect.element(button(words.giveUp)).toBeDisabled()
    await expect.element(button(words.forget)).toBeDisabled()
    expect(told).toEqual([])
  })

  it('warns of another computer, to which the password goes over the network', async () => {
    await show()
    expect(page.getByText(words.beyond).query()).toBeNull()
    await field(words.host).fill('192.168.1.20')
    await expect.element(page.getByText(words.beyond)).toBeVisible()
    await field(words.host).fill('localhost')
    await expect.element(page.getByText(words.beyond)).not.toBeInTheDocument()
  })

  it('ends a connection', async () => {
    const ended = await show({ phase: 'connected', enabled: true })
    await button(words.off).click()
    expect(ended).toEqual([['off']])
  })

  it('gives up a connection that did not come, and is left by Cancel', async () => {
    const told = await show({ phase: 'absent', enabled: true, reason: 'absent' })
    await button(words.giveUp).click()
    await button(word.cancel).click()
    expect(told).toEqual([['off'], ['cancel']])
  })

  it('offers no end of a connection that is not wished', async () => {
    await show()
    expect([button(words.off).query(), button(words.giveUp).query()]).toEqual([null, null])
  })
})
