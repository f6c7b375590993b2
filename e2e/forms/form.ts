import type { Locator, Page } from 'playwright/test'
import type { Say } from '../screens/words.ts'
import type { Calls } from './calls.ts'
import type { FormApp } from './form-app.ts'

/** What is sent: nothing, more than any limit of the contract, markup, and letters of other scripts. */
export type Kind = 'empty' | 'long' | 'markup' | 'script'

/**
 * What has to come of sending. `told`: a sentence in the form says what is wrong. `taken`: the form is done, and what was entered is on the
 * screen as text. `sent`: the form is done; it is a secret, or becomes something else than text. `held`: the button says that there is nothing to send.
 */
export type Outcome = 'told' | 'taken' | 'sent' | 'held'

/** What comes of each kind. */
export type Comes = Readonly<Record<Kind, Outcome>>

/** The app while its forms are opened. */
export interface Stage {
  readonly page: Page
  readonly app: FormApp
  readonly calls: Calls
  readonly language: 'en' | 'zh'
  /** A text of the language that the page speaks. */
  readonly say: Say
  /** The dialog that is open. */
  readonly dialog: Locator
  /** Goes to a screen, from another one, so that it begins anew. */
  readonly go: (route: string) => Promise<void>
  /** Presses the first visible button whose name has that text. */
  readonly press: (key: string, named?: Readonly<Record<string, string | number>>, within?: Locator) => Promise<void>
  /** Presses a button as it is, also one that says that there is nothing to send. */
  readonly send: (key: string) => Promise<void>
}

/** A dialog or a form of the app. */
export interface Form {
  /** The components that it is made of, below `renderer/`. */
  readonly made: readonly string[]
  /** What it does, where one component is opened more than once. */
  readonly as?: string
  /** Shows it anew and gives where it stands. */
  readonly open: (stage: Stage) => Promise<Locator>
  /** What comes of each kind; none for a dialog without a field, which is opened, read and closed. */
  readonly comes?: Comes
  /** What other fields must have for the tried ones to count, by the name of the field. */
  readonly given?: Readonly<Record<string, string>>
  /** Fields that are tried; otherwise all fields for text. */
  readonly fields?: string
  /** Nothing but the page itself keeps it, so that the bound of its field is the only one. */
  readonly bounded?: true
  /** The button that ends a dialog which Esc leaves open. */
  readonly leave?: string
  /** How it is sent, where no button of its own does that. */
  readonly send?: (stage: Stage, form: Locator) => Promise<void>
}

/** Names of accounts and numbers: nothing but what the contract names is taken. */
export const strict: Comes = { empty: 'told', long: 'told', markup: 'told', script: 'told' }
/** Text that has to be there. */
export const words: Comes = { empty: 'told', long: 'told', markup: 'taken', script: 'taken' }
/** Text that may be empty. */
export const freeWords: Comes = { empty: 'taken', long: 'told', markup: 'taken', script: 'taken' }
/** A search: anything is looked for, and what was typed stays. */
export const search: Comes = { empty: 'sent', long: 'taken', markup: 'taken', script: 'taken' }

/** Presses Enter in the last field. */
export const byEnter = async (_stage: Stage, form: Locator): Promise<void> =>
  form.locator(textFields).last().press('Enter')

/** What text is typed into. */
export const textFields =
  ':is(input:not([type=file], [type=checkbox], [type=radio], [type=hidden], [type=range], [type=datetime-local]), textarea):not(:disabled):visible'
