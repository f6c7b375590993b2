/**
 * Whether all that was heard fits one order: what came after what for anybody came so for everybody. `heard` has what
 * came to one person without a gap, in each list. Answers those that are in no order; none when there is one.
 */
export function withoutOrder(heard: Iterable<readonly string[]>): string[] {
  const after = new Map<string, Set<string>>()
  const before = new Map<string, number>()
  for (const list of heard)
    for (const [index, line] of list.entries()) {
      if (!after.has(line)) after.set(line, new Set())
      if (!before.has(line)) before.set(line, 0)
      const former = list[index - 1]
      if (former === undefined || after.get(former)!.has(line)) continue
      after.get(former)!.add(line)
      before.set(line, before.get(line)! + 1)
    }
  const free = [...before].flatMap(([line, count]) => (count === 0 ? [line] : []))
  for (let line = free.pop(); line !== undefined; line = free.pop()) {
    before.delete(line)
    for (const next of after.get(line)!) {
      const count = before.get(next)! - 1
      before.set(next, count)
      if (count === 0) free.push(next)
    }
  }
  return [...before.keys()]
}
