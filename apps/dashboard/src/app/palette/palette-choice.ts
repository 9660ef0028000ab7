interface Item {
  id: string;
}

/** The place of the item that Enter runs: the one that arrow keys have gone to, as long as it is found, else the first. */
export function chosenPlace(items: readonly Item[], goneTo: string | undefined): number {
  return Math.max(
    0,
    items.findIndex(({ id }) => id === goneTo),
  );
}

/** The item to which an arrow key goes from a place: after the last one comes the first. */
export function itemBeside<One extends Item>(items: readonly One[], place: number, step: 1 | -1): One | undefined {
  return items[(place + step + items.length) % items.length];
}
