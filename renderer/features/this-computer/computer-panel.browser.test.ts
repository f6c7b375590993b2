import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import ComputerPanel from './computer-panel.vue'
import { spoken } from '../../format/languages.ts'
import { computerWords } from './words.ts'

const computerEn = spoken(computerWords, 'en')

const refused = (): never => {
  throw failed()
}
const answers = { 'computer.folderUse': refused, 'computer.secrets': refused, 'keeping.list': refused }
const { computer: words } = computerEn

it('shows a card for each part of this computer, in their order', async () => {
  await mounted(ComputerPanel, { answers, events: [{ type: 'computer', computer: makeComputer('full', began) }] })
  const cards = [words.folder, words.ports, words.zone, words.secrets, words.aside, words.file]
  for (const { title } of cards) await expect.element(page.getByRole('group', { name: title })).toBeVisible()
  expect([...document.querySelectorAll('h3')].map((each) => each.textContent)).toEqual(cards.map(({ title }) => title))
})

it('shows nothing while this computer is not known', async () => {
  const { client } = await mounted(ComputerPanel, { answers })
  expect(document.querySelector('h2')).toBeNull()
  expect(client.inputs('computer.secrets')).toEqual([])
})
