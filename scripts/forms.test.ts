import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { questions } from '../e2e/forms/questions.ts'
import { forms, openedElsewhere } from '../e2e/forms/table.ts'

const renderer = path.resolve(import.meta.dirname, '../renderer')
/** What makes a component a form or a dialog: an element of it, a dialog of the kit or of the app, or a field for text. */
const asksForSomething =
  /<(?:form|dialog|UModal|USlideover|UDrawer|UCommandPalette|ConfirmDialog|FormDialog|TextDialog|UInput|UTextarea|textarea|input(?![^>]*type="file"))[\s>]/
/** The dialogs themselves are opened by those who use them, and a field of the kit is no form. */
const used: ReadonlySet<string> = new Set(['ui/confirm-dialog.vue', 'ui/form-dialog.vue'])
const templateOf = (file: string): string =>
  /<template>[\s\S]*<\/template>/.exec(readFileSync(path.join(renderer, file), 'utf8'))?.[0] ?? ''
const components = globSync('{features,ui}/**/*.vue', { cwd: renderer }).map((file) => file.replaceAll(path.sep, '/'))
const named = new Set([
  ...forms.flatMap(({ made }) => made),
  ...questions.map(({ made }) => made),
  ...Object.keys(openedElsewhere),
])

it('finds forms and dialogs where they are', () => {
  expect(asksForSomething.test(templateOf('features/channels/create-form.vue'))).toBe(true)
  expect(asksForSomething.test(templateOf('ui/error-note.vue'))).toBe(false)
})

it('every component with a form or a dialog is in the table of those that are tried', () => {
  const untried = components.filter(
    (file) => asksForSomething.test(templateOf(file)) && !named.has(file) && !used.has(file),
  )
  expect(untried, 'name them in e2e/forms/, with how they are opened and what comes of each kind of text').toEqual([])
})

it('names no component that is gone, and no specification that is not there', () => {
  expect([...named].filter((file) => !components.includes(file))).toEqual([])
  const specifications = path.resolve(import.meta.dirname, '../e2e/browser')
  expect(Object.values(openedElsewhere).filter((file) => !existsSync(path.join(specifications, file)))).toEqual([])
})

it('every question of a component is asked: none hides behind another one', () => {
  const asked = [
    ...forms.filter(({ comes }) => comes === undefined).flatMap(({ made }) => made),
    ...questions.map(({ made }) => made),
  ]
  const unasked = components.flatMap((file) => {
    const there = templateOf(file).match(/<ConfirmDialog[\s>]/g)?.length ?? 0
    const tried = asked.filter((each) => each === file).length
    return tried >= there || Object.hasOwn(openedElsewhere, file) || file === 'ui/confirm-dialog.vue'
      ? []
      : [`${file}: ${tried} of ${there}`]
  })
  expect(unasked, 'name them in e2e/forms/questions.ts').toEqual([])
})
