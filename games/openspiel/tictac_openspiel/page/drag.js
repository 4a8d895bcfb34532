// Dragging a piece, by mouse, pen, or finger. Two clicks do the same.

/** So many pixels make a drag of a click. */
const FAR = 6;

/**
 * Let pieces be dragged over a ground of spots: `lift(spot)` returns the picture of a piece that can be moved, or null;
 * `drop(spot)` is called with the spot where it is let go, or null.
 * @param {HTMLElement} ground
 * @param {(spot: HTMLElement) => Element | null} lift
 * @param {(spot: HTMLElement | null) => void} drop
 */
export function letDrag(ground, lift, drop) {
  /** @type {any} */
  let start = null;
  /** @type {any} */
  let picture = null;
  const end = () => {
    picture?.remove();
    start = picture = null;
  };
  /** @param {{ clientX: number, clientY: number }} event */
  const place = ({ clientX, clientY }) => {
    const { left, top } = ground.getBoundingClientRect();
    picture.style.setProperty("left", `${clientX - left}px`);
    picture.style.setProperty("top", `${clientY - top}px`);
  };
  ground.addEventListener("pointerdown", ({ target, isPrimary, button, clientX, clientY, pointerId }) => {
    const spot = target.closest(".spot");
    start = spot && isPrimary && button === 0 ? { spot, clientX, clientY, pointerId } : null;
  });
  ground.addEventListener("pointermove", (event) => {
    if (event.pointerId !== start?.pointerId) return;
    const isFar = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) >= FAR;
    if (!picture && !isFar) return;
    if (!picture) {
      picture = lift(start.spot);
      if (!picture) return end();
      // Then no spot gets the click that follows.
      ground.setPointerCapture(event.pointerId);
      ground.append(picture);
    }
    place(event);
  });
  ground.addEventListener("pointerup", ({ clientX, clientY }) => {
    const isDragged = Boolean(picture);
    const from = start?.spot;
    end();
    if (!isDragged) return;
    const to = document.elementFromPoint(clientX, clientY)?.closest(".spot");
    if (to !== from) drop(to && ground.contains(to) ? to : null);
  });
  ground.addEventListener("pointercancel", () => {
    if (picture) drop(null);
    end();
  });
}
