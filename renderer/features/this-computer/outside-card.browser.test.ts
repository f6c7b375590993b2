import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { maxProxies, publicAddressShapes } from '../../../contract/public-addresses.ts'
import type { ServiceChange, ThisComputer } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import OutsideCard from './outside-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { outside: words, ports, outcome } = computerEn.computer
const answer = (change: Partial<ServiceChange> = {}): ServiceChange => ({
  outcome: 'done',
  listener: null,
  by: null,
  ...change,
})
const show = (outside: Partial<ThisComputer['outside']> = {}, options: Parameters<typeof mounted>[1] = {}) => {
  const computer = makeComputer('full', began)
  return mounted(OutsideCard, {
    path: '/settings/computer',
    props: { computer: { ...computer, outside: { ...computer.outside, ...outside } } },
    ...options,
  })
}
const field = (name: 'media' | 'link' | 'proxies') => page.getByRole('textbox', { name: words[name], exact: true })
const save = () => page.getByRole('button', { name: ports.save })
const dialog = () => page.getByRole('dialog')
const wrong = (name: 'media' | 'link') => words.addressFault.replace('{example}', publicAddressShapes[name].example)

describe('the addresses of a proxy', () => {
  it('are set with its ranges, once', async () => {
    const gate = Promise.withResolvers<ServiceChange>()
    const { client } = await show({}, { answers: { 'computer.setOutside': () => gate.promise } })
    await field('media').fill(publicAddressShapes.media.example)
    await field('link').fill(publicAddressShapes.link.example)
    await field('proxies').fill('127.0.0.1, 10.0.0.0/8')
    await userEvent.keyboard('{Enter}{Enter}')
    gate.resolve(answer())
    await expect.element(page.getByRole('status')).toHaveTextContent(outcome.done)
    expect(client.inputs('computer.setOutside')).toEqual([
      {
        media: publicAddressShapes.media.example,
        link: publicAddressShapes.link.example,
        proxies: ['127.0.0.1', '10.0.0.0/8'],
        evenOnAir: false,
      },
    ])
  })

  it('are taken away by empty fields', async () => {
    const { client } = await show(
      { media: publicAddressShapes.media.example, proxies: ['::1'] },
      { answers: { 'computer.setOutside': () => answer() } },
    )
    await expect.element(field('proxies')).toHaveValue('::1')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await field('media').fill('')
    await field('proxies').fill('')
    await save().click()
    await expect
      .poll(() => client.inputs('computer.setOutside'))
      .toEqual([{ media: null, link: null, proxies: [], evenOnAir: false }])
  })

  it.each([
    ['media', 'not an address', wrong('media')],
    ['link', 'http://<x>', wrong('link')],
    ['proxies', '10.0.0.0/99', words.proxiesFault.replace('{n}', String(maxProxies))],
    ['proxies', 'proxy.example.com', words.proxiesFault.replace('{n}', String(maxProxies))],
  ] as const)('that are none are refused at their field: %s, %s', async (name, typed, fault) => {
    const { client } = await show()
    await field(name).fill(typed)
    await expect.element(page.getByText(fault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await save().click({ force: true })
    expect(client.inputs('computer.setOutside')).toEqual([])
  })

  it('are set while a channel is on air only after a question, which says what it cuts', async () => {
    const { client } = await show(
      {},
      { answers: { 'computer.setOutside': ({ evenOnAir }) => answer({ outcome: evenOnAir ? 'done' : 'onAir' }) } },
    )
    await field('proxies').fill('::1')
    await save().click()
    await expect.element(dialog()).toMatchTextContent(ports.onAir)
    expect(client.inputs('computer.setOutside').map(({ evenOnAir }) => evenOnAir)).toEqual([false])
    await dialog().getByRole('button', { name: ports.confirm }).click()
    await expect.element(page.getByText(outcome.done)).toBeVisible()
    expect(client.inputs('computer.setOutside').map(({ evenOnAir }) => evenOnAir)).toEqual([false, true])
  })

  it.each(['moving', 'notRunning'] as const)('that were not taken say so: %s', async (what) => {
    await show({}, { answers: { 'computer.setOutside': () => answer({ outcome: what }) } })
    await field('proxies').fill('::1')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(outcome[what])
    await field('proxies').fill('127.0.0.1')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('say why they could not be set', async () => {
    await show(
      {},
      {
        answers: {
          'computer.setOutside': () => {
            throw failed({ kind: 'full' })
          },
        },
      },
    )
    await field('proxies').fill('::1')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(field('proxies')).toHaveValue('::1')
  })

  it('have their words in Chinese', async () => {
    await show({}, { language: 'zh' })
    const { outside: zh } = computerZh.computer
    await expect.element(page.getByRole('group', { name: zh.title })).toBeVisible()
    await expect.element(page.getByRole('textbox', { name: zh.proxies })).toBeVisible()
  })
})
