import type { Bus } from './bus.ts'

/**
 * Commands to the node that has something: its own ones are run directly, those of others go over the bus. `self` is
 * the name of this node.
 */
export function createNodeCommands(bus: Pick<Bus, 'topic'>, self: string) {
  return {
    self,
    /** Makes a kind of command, a plain JSON value; the returned function sends one to a node. */
    kind<Command>(name: string, run: (command: Command) => void): (node: string, command: Command) => void {
      const topic = bus.topic<Command>(name)
      topic.subscribe(self, run)
      return (node, command) => {
        if (node === self) run(command)
        else topic.publish(node, command)
      }
    },
  }
}

/** Makes kinds of commands. */
export type NodeCommands = ReturnType<typeof createNodeCommands>
