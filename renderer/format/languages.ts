/** A text in every language of the interface. */
interface Text {
  readonly en: string
  readonly zh: string
}
/** Languages of the interface. */
export type Language = keyof Text
/** Texts by key, in groups. */
export interface Words {
  readonly [key: string]: Text | Words
}
/** The same keys, each with the text of one language. */
export type Spoken<W> = { readonly [K in keyof W]: W[K] extends Text ? string : Spoken<W[K]> }

/** The texts of one language. */
export const spoken = <W extends Words>(words: W, language: Language): Spoken<W> =>
  Object.fromEntries(
    Object.entries(words).map(([key, value]) => [
      key,
      typeof value.en === 'string' ? (value as Text)[language] : spoken(value as Words, language),
    ]),
  ) as Spoken<W>

/** Between two sentences: a full-width stop includes its blank. */
export const gapOf = (language: string): string => (language === 'zh' ? '' : ' ')

/** Between the members of a list in a sentence. */
export const commaOf = (language: string): string => (language === 'zh' ? '，' : ', ')
