import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ServiceChange, ThisComputer } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { h } from 'vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import PortsCard from './ports-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { ports: words, outcome } = computerEn.computer
const usual = makeComputer('full', began)
/** None of them is named on the command line. */
const free: ThisComputer = { ...usual, ports: usual.ports.map((port) => ({ ...port, named: false })) }
const answer = (change: Partial<ServiceChange> = {}): ServiceChange => ({
  outcome: 'done',
  listener: null,
  by: null,
  ...change,
})
/** The card of what the app tells of this computer. */
const Card = {
  setup: () => {
    const companion = useCompanion()
    return () => companion.computer && h(PortsCard, { computer: companion.computer })
  },
}
const show = (computer = free, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(Card, {
    path: '/settings/computer',
    ...options,
    events: [{ type: 'computer', computer }, ...(options.events ?? [])],
  })
const field = (name: keyof typeof words.listener) =>
  page.getByRole('textbox', { name: words.listener[name], exact: true })
const save = () => page.getByRole('button', { name: words.save })
const dialog = () => page.getByRole('dialog')
const set = (port: number, evenOnAir = false) => ({ api: null, media: null, rtmp: port, evenOnAir })

describe('the ports of the service', () => {
  it('say where it listens now, and nothing is to be saved', async () => {
    const { client } = await show()
    await expect.element(page.getByText(words.now.replace('{port}', '8710'))).toBeVisible()
    await expect.element(field('rtmp')).toHaveAttribute('placeholder', words.automatic.replace('{port}', '1935'))
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await field('rtmp').click()
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('computer.setPorts')).toEqual([])
  })

  it('are set with Enter, once, and said to be', async () => {
    const gate = Promise.withResolvers<ServiceChange>()
    const { client } = await show(free, { answers: { 'computer.setPorts': () => gate.promise } })
    await field('rtmp').fill('1940')
    await expect.element(page.getByText(words.warning)).toBeVisible()
    await userEvent.keyboard('{Enter}{Enter}')
    gate.resolve(answer())
    await expect.element(page.getByText(words.saved)).toBeVisible()
    expect(client.inputs('computer.setPorts')).toEqual([set(1940)])
  })

  it.each(['0', '65536', '19x', '-1'])('are not set to what is no port: %s', async (typed) => {
    const { client } = await show()
    await field('api').fill(typed)
    await expect.element(page.getByText(words.invalid)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await save().click({ force: true })
    expect(client.inputs('computer.setPorts')).toEqual([])
  })

  it('are set while a channel is on air only after a question', async () => {
    const { client } = await show(free, {
      answers: { 'computer.setPorts': ({ evenOnAir }) => answer({ outcome: evenOnAir ? 'done' : 'onAir' }) },
    })
    await field('rtmp').fill('1940')
    await save().click()
    await expect.element(dialog()).toMatchTextContent(words.onAir)
    expect(client.inputs('computer.setPorts')).toEqual([set(1940)])
    await dialog().getByRole('button', { name: words.confirm }).click()
    await expect.element(page.getByText(words.saved)).toBeVisible()
    expect(client.inputs('computer.setPorts')).toEqual([set(1940), set(1940, true)])
  })

  it('stay as they are when the question is cancelled; what was entered stays too', async () => {
    const { client } = await show(free, { answers: { 'computer.setPorts': () => answer({ outcome: 'onAir' }) } })
    await field('rtmp').fill('1940')
    await save().click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.setPorts').length).toBe(1)
    await expect.element(field('rtmp')).toHaveValue('1940')
    await expect.element(save()).toHaveFocus()
  })

  it.each([
    ['another program', { outcome: 'taken', listener: 'rtmp', by: 'other' }, outcome.taken.other],
    ['the receiver of callbacks', { outcome: 'taken', listener: 'rtmp', by: 'callbacks' }, outcome.taken.callbacks],
    ['the system', { outcome: 'refused', listener: 'rtmp' }, outcome.refused],
    ['each other', { outcome: 'twice', listener: 'rtmp' }, outcome.twice],
  ] as const)('that cannot be had say so at their field: %s', async (_case, change, says) => {
    await show(free, { answers: { 'computer.setPorts': () => answer(change) } })
    await field('rtmp').fill('80')
    await save().click()
    await expect.element(page.getByText(says)).toBeVisible()
    await expect.element(field('rtmp')).toHaveAttribute('aria-invalid', 'true')
    // It was about what was entered then.
    await field('rtmp').fill('81')
    await expect.element(page.getByText(says)).not.toBeInTheDocument()
  })

  it.each([
    ['the data folder is being moved', { outcome: 'moving' }, outcome.moving],
    ['the service did not start', { outcome: 'notRunning' }, outcome.notRunning],
  ] as const)('were not taken as they should be: %s', async (_case, change, says) => {
    await show(free, { answers: { 'computer.setPorts': () => answer(change) } })
    await field('rtmp').fill('80')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(says)
  })

  it('say why they could not be set', async () => {
    await show(free, {
      answers: {
        'computer.setPorts': () => {
          throw failed({ kind: 'readOnly' })
        },
      },
    })
    await field('rtmp').fill('1940')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.readOnly.sentence)
    await expect.element(save()).toBeEnabled()
  })

  it('named on the command line cannot be entered', async () => {
    await show(usual)
    await expect.element(field('api')).toBeDisabled()
    await expect.element(page.getByText(words.named.replace('{name}', 'api'))).toBeVisible()
    await expect.element(field('media')).toBeEnabled()
  })

  it('that were taken at the start say by whom, as it was told', async () => {
    await show(free, {
      events: [
        {
          type: 'service',
          service: {
            ...makeService(began, 'full'),
            notes: [{ listener: 'rtmp', wanted: 1935, used: 1936, holder: 'nginx <b>' }],
          },
        },
      ],
    })
    await expect.element(page.getByText('1935 is taken by nginx <b>, so 1936 is used.')).toBeVisible()
  })

  it('are not known while the service is down', async () => {
    await show(free, { events: [{ type: 'service', service: makeService(began, 'stopped') }] })
    await expect.poll(() => page.getByText(words.down).elements().length).toBe(3)
  })

  it('follow what is set elsewhere', async () => {
    const { tell } = await show()
    await tell({
      type: 'computer',
      computer: { ...free, ports: free.ports.map((port) => ({ ...port, chosen: 2000 })) },
    })
    await expect.element(field('rtmp')).toHaveValue('2000')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
  })

  it('lead to the other listeners of the app', async () => {
    const { router } = await show()
    await page.getByRole('link', { name: words.callbacks }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/receivers')
  })

  it('have their words in Chinese', async () => {
    await show(free, { language: 'zh' })
    const { ports: zh } = computerZh.computer
    await expect.element(page.getByRole('group', { name: zh.title })).toBeVisible()
    await page.getByRole('textbox', { name: zh.listener.media }).fill('x')
    await expect.element(page.getByText(zh.invalid)).toBeVisible()
  })

  it.each([
    ['the usual one', false, 8711, words.automatic.replace('{port}', '8711')],
    ['any free one', false, 0, words.anyFree],
    ['the one that is named', true, 8711, '8711'],
    ['any free one, as named', true, 0, words.anyFree],
  ])('say which port is taken where none is entered: %s', async (_case, named, port, says) => {
    await show({
      ...free,
      ports: free.ports.map((each) => (each.listener === 'media' ? { ...each, named, usual: port } : each)),
    })
    await expect.element(field('media')).toHaveAttribute('placeholder', says)
  })

  it('that were taken at the start by nobody known say so at their own field only', async () => {
    await show(free, {
      events: [
        {
          type: 'service',
          service: {
            ...makeService(began, 'full'),
            notes: [
              { listener: 'api', wanted: 0, used: 40_123, holder: null },
              { listener: 'rtmp', wanted: 1935, used: 1936, holder: null },
            ],
          },
        },
      ],
    })
    await expect
      .element(page.getByText(words.noteUnknown.replace('{wanted}', '1935').replace('{used}', '1936')))
      .toBeVisible()
    expect(page.getByText(/40123/).query()).toBeNull()
  })

  it('are sent all three, and one that is emptied goes back to the usual one', async () => {
    const { client } = await show(
      { ...free, ports: free.ports.map((port) => ({ ...port, chosen: 2000 })) },
      { answers: { 'computer.setPorts': () => answer() } },
    )
    await field('api').fill('65535')
    await field('media').fill('')
    await save().click()
    await expect
      .poll(() => client.inputs('computer.setPorts'))
      .toEqual([{ api: 65_535, media: null, rtmp: 2000, evenOnAir: false }])
  })

  it('keep what was entered when the computer is told of again with nothing new of them', async () => {
    const { tell } = await show()
    await field('rtmp').fill('1940')
    await tell({ type: 'computer', computer: { ...free, timeZone: { ...free.timeZone, chosen: 'Europe/Berlin' } } })
    await expect.element(field('rtmp')).toHaveValue('1940')
  })
})
