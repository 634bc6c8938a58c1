// How a check ends if its sentence was not found to be true.

/** The sentence is not true of this site: what was sent, what came, and what would be right. */
export class Failed extends Error {}

/** A request that got no answer: a failure if the bag was right. */
export class Silent extends Failed {}

/** It cannot be said whether the sentence is true, and why. */
export class NotJudged extends Error {}
