import { formsOf, plainForm, skeletonOf } from './folding.ts'

const inWord = /[\p{L}\p{N}\p{M}_]/u
/** Characters of scripts without spaces between words. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tai_Le}\p{scx=New_Tai_Lue}\p{scx=Tai_Tham}\p{scx=Javanese}\p{scx=Balinese}\p{scx=Tibetan}]`
const isUnspaced = new RegExp(unspaced, 'u')
const isWordCharacter = (character: string): boolean => inWord.test(character) && !isUnspaced.test(character)
/** Spaces between such characters, which separate nothing. */
const within = new RegExp(`(?<=${unspaced}) (?=${unspaced})`, 'gu')
const joined = (plain: string): string => (plain.includes(' ') ? plain.replace(within, '') : plain)

/** A parsed word; `*` at an end matches anything there. */
export interface WordPattern {
  /** Plain form without meaningless spaces, not empty. */
  readonly text: string
  /** Matches only at the begin, or end, of a word. */
  readonly begins: boolean
  readonly ends: boolean
}

/** Parses a word; undefined if nothing of it is visible. */
export function readWord(word: string): WordPattern | undefined {
  const [, before = '', inner = '', after = ''] = /^(\**)(.*?)(\**)$/su.exec(word.trim()) ?? []
  const text = joined(plainForm(inner))
  if (text === '') return undefined
  const characters = [...text]
  return {
    text,
    begins: before === '' && isWordCharacter(characters[0]!),
    ends: after === '' && isWordCharacter(characters.at(-1)!),
  }
}

/** Words parsed, and transitions added, per part of the work: 1 to 2 ms. */
const [wordsAPart, stepsAPart] = [16, 2_048]

/** Bit of a pattern's boundary condition in its node. */
const wayOf = ({ begins, ends }: WordPattern): number => 1 << ((begins ? 1 : 0) + (ends ? 2 : 0))

/** An Aho-Corasick automaton (1975), linear in the text. Keyed by node and UTF-16 code unit. */
class Automaton {
  readonly #steps = new Map<number, number>()
  readonly #lengths: number[] = [0]
  readonly #ways: number[] = [0]
  /** Failure links, and the longest shorter word that ends at the same position. */
  readonly #falls: number[] = [0]
  readonly #shorter: number[] = [0]

  #next(from: number, unit: number): number {
    for (let node = from; ; node = this.#falls[node]!) {
      const next = this.#steps.get(node * 0x10000 + unit)
      if (next !== undefined) return next
      if (node === 0) return 0
    }
  }

  /** Adds patterns, in parts of a few ms. */
  *take(patterns: readonly WordPattern[]): Generator<undefined, void> {
    let steps = 0
    // By depth, so that a node's failure link is known before.
    const levels: [node: number, from: number, unit: number][][] = []
    for (const pattern of patterns) {
      let node = 0
      for (let index = 0; index < pattern.text.length; index++) {
        const unit = pattern.text.charCodeAt(index)
        let next = this.#steps.get(node * 0x10000 + unit)
        if (next === undefined) {
          next = this.#lengths.push(index + 1) - 1
          this.#ways.push(0)
          this.#steps.set(node * 0x10000 + unit, next)
          ;(levels[index] ??= []).push([next, node, unit])
        }
        node = next
        if (++steps % stepsAPart === 0) yield
      }
      this.#ways[node]! |= wayOf(pattern)
    }
    for (const level of levels)
      for (const [node, from, unit] of level) {
        const fall = from === 0 ? 0 : this.#next(this.#falls[from]!, unit)
        this.#falls[node] = fall
        this.#shorter[node] = this.#ways[fall] === 0 ? this.#shorter[fall]! : fall
        if (++steps % stepsAPart === 0) yield
      }
  }

  /** Whether a text contains a word within its boundary condition. */
  finds(text: string): boolean {
    // Cache of word boundaries, checked where a word matches: 1 inside a word, 2 a boundary.
    const edges = new Uint8Array(text.length + 1)
    const isEdge = (at: number): boolean => {
      edges[at] ||=
        at > 0 &&
        at < text.length &&
        isWordCharacter(characterBefore(text, at)) &&
        isWordCharacter(String.fromCodePoint(text.codePointAt(at)!))
          ? 1
          : 2
      return edges[at] === 2
    }
    let node = 0
    for (let index = 0; index < text.length; index++) {
      node = this.#next(node, text.charCodeAt(index))
      for (
        let found = this.#ways[node] === 0 ? this.#shorter[node]! : node;
        found !== 0;
        found = this.#shorter[found]!
      ) {
        const ways = this.#ways[found]!
        const begins = isEdge(index + 1 - this.#lengths[found]!)
        const ends = isEdge(index + 1)
        // Boundary conditions by bit: anywhere, word begin, word end, whole word.
        const fitting = 1 | (begins ? 2 : 0) | (ends ? 4 : 0) | (begins && ends ? 8 : 0)
        if ((ways & fitting) !== 0) return true
      }
    }
    return false
  }
}

const characterBefore = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit < 0xe000 && at > 1 ? text.slice(at - 2, at) : text[at - 1]!
}

/** Tests a text for the words, in time linear in the text. */
export type WordMatcher = (text: string) => boolean

function* matcherOf(words: readonly string[]): Generator<undefined, WordMatcher> {
  const patterns: WordPattern[] = []
  for (const [index, word] of words.entries()) {
    const pattern = readWord(word)
    if (pattern) patterns.push(pattern, { ...pattern, text: skeletonOf(pattern.text) })
    if (index % wordsAPart === wordsAPart - 1) yield
  }
  if (patterns.length === 0) return () => false
  const automaton = new Automaton()
  yield* automaton.take(patterns)
  return (text) => {
    const forms = formsOf(text)
    const plain = joined(forms.plain)
    const skeleton = plain === forms.plain ? forms.skeleton : skeletonOf(plain)
    const written = forms.written === undefined ? undefined : joined(forms.written)
    if (automaton.finds(plain)) return true
    if (skeleton !== plain && automaton.finds(skeleton)) return true
    return written !== undefined && written !== skeleton && automaton.finds(written)
  }
}

/** Makes the test of a few words. Texts are compared by reading and by appearance. */
export function createWordMatcher(words: readonly string[]): WordMatcher {
  const work = matcherOf(words)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** The same for many words, which may take seconds: awaits `turn` between parts. */
export async function buildWordMatcher(words: readonly string[], turn: () => Promise<void>): Promise<WordMatcher> {
  const work = matcherOf(words)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await turn()
  }
}
