/** Undoes the steps of a start: the last first, when the part is closed or when a later step of its start fails. */
export interface UndoStack {
  /** Adds what undoes the step that was just made. */
  push(undo: () => unknown): void
  /** Makes one step of several that are undone at the same time: the returned function adds to them. */
  together(): (undo: () => unknown) => void
  /** Undoes all steps in turn. A step that fails is told and the others go on. Every call waits for the same end. */
  close(): Promise<void>
}

/** When a step of `make` fails, the steps before it are undone, and then it rejects. */
export async function undoneOnFailure<T>(undo: UndoStack, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    await undo.close()
    throw error
  }
}

/** Makes an empty stack; `failed` is told of each step that could not be undone. */
export function createUndoStack(failed: (error: unknown) => void): UndoStack {
  const steps: (() => unknown)[] = []
  let closing: Promise<void> | undefined
  const run = async (undo: () => unknown): Promise<void> => {
    try {
      await undo()
    } catch (error) {
      failed(error)
    }
  }
  const undoAll = async (): Promise<void> => {
    for (let undo = steps.pop(); undo; undo = steps.pop()) await run(undo)
  }
  return {
    push: (undo) => void steps.push(undo),
    together() {
      const parts: (() => unknown)[] = []
      steps.push(() => Promise.all(parts.map(run)))
      return (undo) => void parts.push(undo)
    },
    close: () => (closing ??= undoAll()),
  }
}
