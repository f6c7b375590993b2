/** A node of the tree of words: the next characters, and whether a word ends here. */
interface Node {
  readonly next: Map<string, Node>
  ends: boolean
}

/** How words and texts are compared: whatever the case, the width of letters and their composition. */
export const plainForm = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Makes a test for texts that hold one of the words. The time it takes grows with the text and the longest word, not with how many there are. */
export function createWordMatcher(words: readonly string[]): (text: string) => boolean {
  const root: Node = { next: new Map(), ends: false }
  for (const word of words) {
    let node = root
    for (const character of plainForm(word)) {
      let next = node.next.get(character)
      if (!next) node.next.set(character, (next = { next: new Map(), ends: false }))
      node = next
    }
    if (node !== root) node.ends = true
  }
  if (root.next.size === 0) return () => false
  return (text) => {
    const characters = [...plainForm(text)]
    return characters.some((_, start) => {
      let node: Node | undefined = root
      for (let index = start; index < characters.length; index++) {
        node = node.next.get(characters[index]!)
        if (!node) return false
        if (node.ends) return true
      }
      return false
    })
  }
}
